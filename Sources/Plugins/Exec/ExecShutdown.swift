// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The steps that end a program: closing its input, then SIGTERM, then SIGKILL.
struct ExecShutdown: Sendable {
  enum Event: Equatable, Sendable {
    /// The program is no longer needed.
    case close
    /// The program must end immediately. In the log, the reason follows the word "because"; it is
    /// `nil` if the program may have ended by itself.
    case terminate(reason: String?)
    /// A stage has closed its standard output, or the first process of a sink has ended.
    case outputEnded
    /// The program has ended, and its outputs have been read.
    case exited
    /// The timer with this number has expired.
    case timedOut(Int)
  }

  enum Action: Equatable, Sendable {
    case closeInput
    case startTimer(Int, Duration)
    /// Send a signal to the process group.
    case signal(Int32)
    case done
  }

  private enum Phase { case running, closing, terminating, killed, done }

  /// The time between the end of the program's input or output and SIGTERM.
  let closeTime: Duration
  /// The time between SIGTERM and SIGKILL.
  let killTime: Duration
  private var phase = Phase.running
  /// The reason for SIGTERM; `nil` if SIGTERM was not sent or the reason is unknown.
  private var reason: String?
  private var isKilled = false
  private var stream = "input"
  private var timer = 0

  init(closeTime: Duration, killTime: Duration) {
    self.closeTime = closeTime
    self.killTime = killTime
  }

  /// The last signal that was sent and its reason; `nil` without a signal or a known reason.
  var lastSignal: String? {
    guard let reason else { return nil }
    return isKilled
      ? "SIGKILL, because it was still running \(Self.text(killTime)) after SIGTERM "
        + "(sent because \(reason))"
      : "SIGTERM, because \(reason)"
  }

  /// Handles an event and returns the next steps.
  mutating func handle(_ event: Event) -> [Action] {
    switch (event, phase) {
    case (_, .done): return []
    case (.exited, _):
      phase = .done
      // Kill the remaining processes in the program's process group.
      return [.signal(SIGKILL), .done]
    case (.close, .running):
      phase = .closing
      return [.closeInput, startTimer(closeTime)]
    case (.outputEnded, .running):
      // Do not close the program's input: the program is probably about to end, and may still read.
      phase = .closing
      stream = "output"
      return [startTimer(closeTime)]
    case (.close, .closing): return [.closeInput]
    case (.terminate(let reason), .running), (.terminate(let reason), .closing):
      return terminate(reason)
    case (.timedOut(timer), .closing):
      return terminate(
        "it was still running \(Self.text(closeTime)) after the end of its \(stream)")
    case (.timedOut(timer), .terminating):
      phase = .killed
      isKilled = true
      return [.signal(SIGKILL)]
    default: return []
    }
  }

  /// Describes how the program ended, with the reason if Fixcast ended it.
  func description(of end: ExecEnd) -> String {
    switch end {
    case .notStarted(let reason): return "it cannot be started: \(reason)"
    case .exited(let code):
      return "it ended with exit code \(code)"
        + (lastSignal.map { ", after fixcast sent it \($0)" } ?? "")
    case .signaled(let number):
      if let lastSignal, number == SIGTERM || (number == SIGKILL && isKilled) {
        return "fixcast stopped it with \(lastSignal)"
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
