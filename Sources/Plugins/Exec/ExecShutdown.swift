// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The steps that end a program: the end of its input, then SIGTERM, then SIGKILL.
struct ExecShutdown: Sendable {
  enum Event: Equatable, Sendable {
    /// The program is not needed any more.
    case close
    /// The program has to end at once. The reason is a clause for the log; `nil` where the program may
    /// have ended by itself.
    case terminate(reason: String?)
    /// The program has closed its standard output, where that is needed, or has ended.
    case outputEnded
    case exited
    /// The timer of that number has expired.
    case timedOut(Int)
  }

  enum Action: Equatable, Sendable {
    case closeInput
    case startTimer(Int, Duration)
    /// Sends a signal to the process group.
    case signal(Int32)
    case done
  }

  private enum Phase { case running, closing, terminating, killed, done }

  /// Time that the program has after the end of its input.
  let closeTime: Duration
  /// Time that the program has after SIGTERM.
  let killTime: Duration
  private var phase = Phase.running
  /// The reason for SIGTERM; `nil` while none was sent, or for none that can be named.
  private var reason: String?
  private var isKilled = false
  private var closed = "input"
  private var timer = 0

  init(closeTime: Duration, killTime: Duration) {
    self.closeTime = closeTime
    self.killTime = killTime
  }

  /// The signal that the program was sent last and why; `nil` for none that it is known to have got.
  var account: String? {
    guard let reason else { return nil }
    return isKilled
      ? "SIGKILL, since it still ran \(Self.text(killTime)) after SIGTERM, which it was sent since "
        + reason
      : "SIGTERM, since \(reason)"
  }

  /// Decides on the next steps.
  mutating func handle(_ event: Event) -> [Action] {
    switch (event, phase) {
    case (_, .done): return []
    case (.exited, _):
      phase = .done
      // The rest of its process group.
      return [.signal(SIGKILL), .done]
    case (.close, .running):
      phase = .closing
      return [.closeInput, startTimer(closeTime)]
    case (.outputEnded, .running):
      // The program is most likely about to end, and may still be written to.
      phase = .closing
      closed = "output"
      return [startTimer(closeTime)]
    case (.close, .closing): return [.closeInput]
    case (.terminate(let reason), .running), (.terminate(let reason), .closing):
      return terminate(reason)
    case (.timedOut(timer), .closing):
      return terminate("it still ran \(Self.text(closeTime)) after the end of its \(closed)")
    case (.timedOut(timer), .terminating):
      phase = .killed
      isKilled = true
      return [.signal(SIGKILL)]
    default: return []
    }
  }

  /// A sentence that says how the program ended, and why where Fixcast ended it.
  func sentence(for end: ExecEnd) -> String {
    switch end {
    case .notStarted(let reason): return "it cannot be started: \(reason)"
    case .exited(let code):
      return "it ended with exit code \(code)"
        + (account.map { ", after fixcast sent it \($0)" } ?? "")
    case .signaled(let number):
      if let account, number == SIGTERM || (number == SIGKILL && isKilled) {
        return "fixcast ended it by \(account)"
      }
      return "it was ended by signal \(number) (\(String(cString: strsignal(number))))"
    }
  }

  private mutating func terminate(_ reason: String?) -> [Action] {
    phase = .terminating
    self.reason = reason
    return [.signal(SIGTERM), startTimer(killTime)]
  }

  private mutating func startTimer(_ duration: Duration) -> Action {
    timer += 1
    return .startTimer(timer, duration)
  }

  private static func text(_ duration: Duration) -> String {
    Text.fixed(duration / .seconds(1), 1) + " s"
  }
}
