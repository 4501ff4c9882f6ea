// SPDX-License-Identifier: Apache-2.0

internal import Positioning
internal import Synchronization

/// What a program writes that is no message: counted, and told as far as a log bears it.
final class ExecLog: Sendable {
  private struct State {
    var counts = ExecCounts()
    var budget = LineBudget(limit: 20, seconds: 10)
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

  func count(_ change: (inout ExecCounts) -> Void) { state.withLock { change(&$0.counts) } }

  /// A line on standard error.
  func wrote(_ line: [UInt8]) {
    let text = Self.shown(line)
    state.withLock { $0.lastLine = text }
    tellWithin(text)
  }

  /// A line on standard output that is no message.
  func wroteInvalid(_ line: [UInt8]) {
    count { $0.invalidLines &+= 1 }
    tellWithin("no message: \(Self.shown(line))")
  }

  /// Something else worth a line.
  func tellWithin(_ text: String) {
    let now = now()
    let (isTold, suppressed) = state.withLock { $0.budget.take(now: now) }
    guard isTold else { return }
    if suppressed > 0 { tell("\(name): (\(suppressed) more lines, not shown)") }
    tell("\(name): \(text)")
  }

  private static func shown(_ line: [UInt8]) -> String {
    let text = String(decoding: line.prefix(4 * shownCharacters), as: UTF8.self)
    return Text.visible(String(text.prefix(shownCharacters)))
  }
}
