// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Glibc

/// What a terminal's user does to a program besides ending it.
struct TerminalSignals: Sendable {
  /// What was done.
  enum Event: Sendable {
    /// The window has another size.
    case resized
    /// The program is to stop (Ctrl-Z).
    case suspended
    /// It goes on.
    case resumed
  }

  /// What is done, in order.
  let events: AsyncStream<Event>
  // Set once, and only held so that they live: nothing is ever called on them again.
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

  /// Stops the program as the signal would have; returns when it goes on.
  static func stop() { kill(getpid(), SIGSTOP) }
}
