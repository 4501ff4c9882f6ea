// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// How a program is ended: it is asked by the end of its input, then by a signal, then killed.
struct ExecShutdown: Sendable {
  enum Event: Equatable, Sendable {
    /// It is not needed any more.
    case close
    /// It is to end at once.
    case terminate
    /// It says nothing more on its standard output.
    case outputEnded
    /// It has ended, or has let go of all that it was given.
    case exited
    /// A wait is over.
    case timeOver(Int)
  }

  enum Action: Equatable, Sendable {
    case closeInput
    case startTimer(Int, Duration)
    /// Sends a signal to it and to all that it has started.
    case signal(Int32)
    case done
  }

  private enum Phase { case running, closing, terminating, killed, done }

  /// How long it may take after the end of its input.
  let closeTime: Duration
  /// How long it may take after SIGTERM.
  let killTime: Duration
  private var phase = Phase.running
  private var timer = 0

  init(closeTime: Duration, killTime: Duration) {
    self.closeTime = closeTime
    self.killTime = killTime
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
      return [.closeInput, startTimer(closeTime)]
    case (.outputEnded, .running):
      // Most likely it is about to end; somebody may be writing to it still.
      phase = .closing
      return [startTimer(closeTime)]
    case (.close, .closing): return [.closeInput]
    case (.terminate, .running), (.terminate, .closing): return terminate()
    case (.timeOver(timer), .closing): return terminate()
    case (.timeOver(timer), .terminating):
      phase = .killed
      return [.signal(SIGKILL)]
    default: return []
    }
  }

  private mutating func terminate() -> [Action] {
    phase = .terminating
    return [.signal(SIGTERM), startTimer(killTime)]
  }

  private mutating func startTimer(_ duration: Duration) -> Action {
    timer += 1
    return .startTimer(timer, duration)
  }
}
