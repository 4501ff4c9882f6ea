// SPDX-License-Identifier: Apache-2.0

internal import FoundationEssentials

/// A message from a program; each message is one line.
enum ExecMessage: Equatable, Sendable {
  /// The program's first message, with its protocol version.
  case hello(version: Int)
  /// The data for the location with this number; `nil` if the program has no data for it.
  case enriched(id: UInt64, data: JSONValue?)
  /// An error that concerns one location, or the whole program if `id` is `nil`.
  ///
  /// `retryAfterSeconds` is the minimum delay before a restart that the program requests.
  case error(id: UInt64?, message: String, retryAfterSeconds: Double? = nil)
  /// A message of an unknown class, for example from a later version of the protocol.
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

  /// Parses a line; returns `nil` if it is not a valid message.
  ///
  /// - Parameters:
  ///   - line: The line, without its line end.
  ///   - mayEcho: Whether the program may repeat its input, as tee(1) does. If true, an `ERROR`
  ///     with a source, or an `ENRICHED` with a source and no `id`, becomes `other`, because it is
  ///     a copy of Fixcast's own message.
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
        // The longest delay that a program can request is one day.
        retryAfterSeconds: line.retryAfter.map { min(max($0, 0), 86_400) })
    case ("HELLO", nil, _), ("ENRICHED", _, nil): return nil
    default: self = .other(name: line.class)
    }
  }
}
