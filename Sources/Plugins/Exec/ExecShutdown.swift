// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// How a program is ended: it is asked by the end of its input, then by a signal, then killed.
struct ExecShutdown: Sendable {
  enum Event: Equatable, Sendable {
    /// It is not needed any more.
    case close
    /// It is to end at once, and why.
    case terminate(Haste)
    /// It says nothing more on its standard output, where that is needed, or is gone.
    case outputEnded
    /// It has ended, or has let go of all that it was given.
    case exited
    /// A wait is over.
    case timeOver(Int)
  }

  enum Action: Equatable, Sendable {
    case closeInput
    case startTimer(Int, Duration)
    /// Sends a signal to its process group.
    case signal(Int32)
    case done
  }

  /// Why it is not waited for.
  enum Haste: Equatable, Sendable {
    /// It has not begun as it has to.
    case misbegun
    /// It had not taken what it was sent when the time for that was over.
    case unread
    /// It takes nothing any more: it has closed its input, or is gone by itself.
    case deaf
    /// Nobody has the time.
    case stop
  }

  /// Why it is ended by a signal.
  enum Reason: Equatable, Sendable {
    /// It still ran so long after the end of its input.
    case inputEnded(Duration)
    /// It still ran so long after the end of its output.
    case outputEnded(Duration)
    /// It was not waited for.
    case haste(Haste)
  }

  private enum Phase { case running, closing, terminating, killed, done }

  /// How long it may take after the end of its input.
  let closeTime: Duration
  /// How long it may take after SIGTERM.
  let killTime: Duration
  /// Why it was sent a signal; `nil` where it was not.
  private(set) var reason: Reason?
  /// Whether it was sent SIGKILL, and not SIGTERM alone.
  private(set) var isKilled = false
  private var phase = Phase.running
  private var patience = Reason.haste(.stop)
  private var timer = 0

  init(closeTime: Duration, killTime: Duration) {
    self.closeTime = closeTime
    self.killTime = killTime
  }

  /// Whether it had time to end, or has not ended in spite of SIGTERM.
  var isLate: Bool {
    if case .haste? = reason { isKilled } else { reason != nil }
  }

  /// Takes an event, and says what to do.
  mutating func handle(_ event: Event) -> [Action] {
    switch (event, phase) {
    case (_, .done): return []
    case (.exited, _):
      phase = .done
      // What it has started and left behind.
      return [.signal(SIGKILL), .done]
    case (.close, .running):
      phase = .closing
      patience = .inputEnded(closeTime)
      return [.closeInput, startTimer(closeTime)]
    case (.outputEnded, .running):
      // Most likely it is about to end; somebody may be writing to it still.
      phase = .closing
      patience = .outputEnded(closeTime)
      return [startTimer(closeTime)]
    case (.close, .closing): return [.closeInput]
    case (.terminate(let haste), .running), (.terminate(let haste), .closing):
      return terminate(.haste(haste))
    case (.timeOver(timer), .closing): return terminate(patience)
    case (.timeOver(timer), .terminating):
      phase = .killed
      isKilled = true
      return [.signal(SIGKILL)]
    default: return []
    }
  }

  private mutating func terminate(_ reason: Reason) -> [Action] {
    phase = .terminating
    self.reason = reason
    return [.signal(SIGTERM), startTimer(killTime)]
  }

  private mutating func startTimer(_ duration: Duration) -> Action {
    timer += 1
    return .startTimer(timer, duration)
  }
}
