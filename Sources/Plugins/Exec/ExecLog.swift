// SPDX-License-Identifier: Apache-2.0

internal import Positioning
internal import Synchronization
internal import SystemSupport

/// What a program writes that is no message: counted, and told as far as a log bears it.
final class ExecLog: Sendable {
  private struct State {
    var counts = ExecCounts()
    var lines = RateLimit<String>(burst: 20, perSecond: 2)
    var suppressed: UInt64 = 0
    var lastLine: String?
  }

  private let name: String
  private let now: @Sendable () -> MonotonicTime
  private let tell: @Sendable (String) -> Void
  private let state = Mutex(State())

  /// How much of a line is told.
  private static let shownCharacters = 200

  init(
    name: String, now: @escaping @Sendable () -> MonotonicTime,
    tell: @escaping @Sendable (String) -> Void
  ) {
    self.name = name
    self.now = now
    self.tell = tell
  }

  var counts: ExecCounts { state.withLock { $0.counts } }

  /// The last line on standard error, which most often says why a program ended.
  var lastLine: String? { state.withLock { $0.lastLine } }

  /// A line on standard error.
  func wrote(_ line: [UInt8]) {
    let text = Self.shown(line)
    state.withLock { $0.lastLine = text }
    tellWithin(text)
  }

  /// A line on standard output that is no message.
  ///
  /// - Parameters:
  ///   - line: The line.
  ///   - mayEcho: Whether it may be what the program was sent, or be made of it: where the board is
  ///     does not get into a log.
  func wroteInvalid(_ line: [UInt8], mayEcho: Bool) {
    passOver(
      \.invalidLines,
      mayEcho ? "no message in a line of \(line.count) bytes" : "no message: \(Self.shown(line))")
  }

  /// Something that nobody could use: the first of its kind is told, and all are counted.
  ///
  /// There may be one for each location, for as long as the program runs.
  func passOver(
    _ kind: WritableKeyPath<ExecCounts, UInt64>, count: UInt64 = 1,
    _ text: @autoclosure () -> String
  ) {
    let before = state.withLock { state in
      defer { state.counts[keyPath: kind] &+= count }
      return state.counts[keyPath: kind]
    }
    if before == 0 { tellWithin("\(text()); more of that is only counted") }
  }

  /// The program is gone: what was only counted is told by its number, whatever was told before.
  func close() {
    if let summary = counts.summary { tell("\(name): \(summary)") }
  }

  /// Something else worth a line.
  func tellWithin(_ text: String) {
    let now = now()
    let suppressed: UInt64? = state.withLock { state in
      guard state.lines.take(from: name, at: now) else {
        state.suppressed &+= 1
        return nil
      }
      defer { state.suppressed = 0 }
      return state.suppressed
    }
    guard let suppressed else { return }
    if suppressed > 0 { tell("\(name): (\(suppressed) more lines, not shown)") }
    tell("\(name): \(text)")
  }

  /// What is told of what a program wrote.
  static func shown(_ text: some Collection<UInt8>) -> String {
    let text = String(decoding: text.prefix(4 * shownCharacters), as: UTF8.self)
    return Text.visible(String(text.prefix(shownCharacters)))
  }
}
