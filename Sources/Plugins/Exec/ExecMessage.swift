// SPDX-License-Identifier: Apache-2.0

internal import FoundationEssentials

/// What a program says, a line each.
enum ExecMessage: Equatable, Sendable {
  /// Its first words: which protocol it speaks.
  case hello(version: Int)
  /// What it found out about the location of that number; `nil` for nothing.
  case enriched(id: UInt64, data: JSONValue?)
  /// What went wrong, with one location or as a whole, and for how many seconds it wants to be left
  /// alone when it has ended.
  case error(id: UInt64?, message: String, retryAfterSeconds: Double? = nil)
  /// Something that a later protocol knows.
  case other(name: String)

  private struct Line: Decodable {
    var `class`: String
    var `protocol`: Int?
    var id: UInt64?
    var data: JSONValue?
    var message: String?
    var retryAfter: Double?
    var source: String?
  }

  /// Reads a line; `nil` where it is no message.
  ///
  /// - Parameters:
  ///   - line: The line without its end.
  ///   - mayEcho: Whether an error or a finding that names its source is one that the program was sent
  ///     and gives back, as tee(1) does, and so nothing that it says.
  init?(_ line: [UInt8], mayEcho: Bool = false) {
    guard let line = try? JSONDecoder().decode(Line.self, from: Data(line)) else { return nil }
    switch (line.class, line.protocol, line.id) {
    case ("HELLO", let version?, _): self = .hello(version: version)
    case ("ENRICHED", _, let id?): self = .enriched(id: id, data: line.data)
    case ("ERROR", _, _) where mayEcho && line.source != nil,
      ("ENRICHED", _, nil) where mayEcho && line.source != nil:
      self = .other(name: line.class)
    case ("ERROR", _, let id):
      self = .error(
        id: id, message: line.message ?? "",
        // A day is the most that anybody is left alone.
        retryAfterSeconds: line.retryAfter.map { min(max($0, 0), 86_400) })
    case ("HELLO", nil, _), ("ENRICHED", _, nil): return nil
    default: self = .other(name: line.class)
    }
  }
}
