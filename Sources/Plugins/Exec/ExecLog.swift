// SPDX-License-Identifier: Apache-2.0

internal import Positioning
internal import Synchronization
internal import SystemSupport

/// Counts and logs a program's unusable output and standard error, with a rate limit.
final class ExecLog: Sendable {
  private struct State {
    var counts = ExecCounts()
    var rateLimit = RateLimit<String>(burst: 20, perSecond: 2)
    var suppressed: UInt64 = 0
    var lastLine: String?
  }

  private let name: String
  private let now: @Sendable () -> MonotonicTime
  private let logLine: @Sendable (String) -> Void
  private let state = Mutex(State())

  /// The maximum length of a logged line, in characters.
  private static let maxShownCharacters = 200

  init(
    name: String, now: @escaping @Sendable () -> MonotonicTime,
    logLine: @escaping @Sendable (String) -> Void
  ) {
    self.name = name
    self.now = now
    self.logLine = logLine
  }

  var counts: ExecCounts { state.withLock { $0.counts } }

  /// The last line on standard error, which usually explains why the program ended.
  var lastLine: String? { state.withLock { $0.lastLine } }

  /// Logs a line from standard error.
  func logStandardError(_ line: [UInt8]) {
    let text = Self.shown(line)
    state.withLock { $0.lastLine = text }
    logRateLimited(text)
  }

  /// Logs a line from standard output that is not a valid message.
  ///
  /// - Parameters:
  ///   - line: The line.
  ///   - mayEcho: Whether the line may repeat data that was sent to the program. If true, only the
  ///     length of the line is logged, so that no position gets into the log.
  func logInvalid(_ line: [UInt8], mayEcho: Bool) {
    countIgnored(
      \.invalidLines,
      mayEcho ? "invalid message of \(line.count) bytes" : "invalid message: \(Self.shown(line))")
  }

  /// Counts unusable output, and logs only the first output of each kind, since a program may
  /// produce unusable output for each location.
  func countIgnored(
    _ kind: WritableKeyPath<ExecCounts, UInt64>, count: UInt64 = 1,
    _ text: @autoclosure () -> String
  ) {
    let before = state.withLock { state in
      defer { state.counts[keyPath: kind] &+= count }
      return state.counts[keyPath: kind]
    }
    if before == 0 { logRateLimited("\(text()); further ones are only counted") }
  }

  /// Logs the totals when the program has ended, regardless of the rate limit.
  func close() {
    if let summary = counts.summary { logLine("\(name): \(summary)") }
  }

  /// Logs a line unless the rate limit is exceeded.
  func logRateLimited(_ text: String) {
    let now = now()
    let suppressed: UInt64? = state.withLock { state in
      guard state.rateLimit.take(from: name, at: now) else {
        state.suppressed &+= 1
        return nil
      }
      defer { state.suppressed = 0 }
      return state.suppressed
    }
    guard let suppressed else { return }
    if suppressed > 0 { logLine("\(name): (\(suppressed) more lines, not shown)") }
    logLine("\(name): \(text)")
  }

  /// Returns the beginning of a program's text, with control characters made visible.
  static func shown(_ text: some Collection<UInt8>) -> String {
    let text = String(decoding: text.prefix(4 * maxShownCharacters), as: UTF8.self)
    return Text.visible(String(text.prefix(maxShownCharacters)))
  }
}
