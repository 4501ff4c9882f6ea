// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Glibc

/// The signals of a terminal, except those that stop the command.
struct TerminalSignals: Sendable {
  /// The meaning of a signal.
  enum Event: Sendable {
    /// The window size has changed.
    case resized
    /// The user has pressed Ctrl-Z.
    case suspended
    /// The program has been resumed.
    case resumed
  }

  /// The events, in order.
  let events: AsyncStream<Event>
  // Never used after `init`, only retained: a released source would stop delivering signals.
  nonisolated(unsafe) private let sources: [any DispatchSourceSignal]

  init() {
    let (events, continuation) = AsyncStream.makeStream(
      of: Event.self, bufferingPolicy: .bufferingNewest(16))
    self.events = events
    sources = [(SIGWINCH, .resized), (SIGTSTP, .suspended), (SIGCONT, .resumed)].map {
      (number: Int32, event: Event) in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number)
      source.setEventHandler { continuation.yield(event) }
      source.resume()
      return source
    }
  }

  /// Stops the program as the default action of SIGTSTP does; returns when the program is resumed.
  static func stop() { kill(getpid(), SIGSTOP) }
}
