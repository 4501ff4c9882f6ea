// SPDX-License-Identifier: Apache-2.0

import ReceiverSimulator
import Receivers
import SystemSupport

/// A receiver of this board, whose position needs permission: a simulated one on a pseudo-terminal.
///
/// A test reads it like a serial port, by one program at a time.
final class BoardReceiver: Sendable {
  /// The argument of `--source`.
  let source: String
  private let sending: Task<Void, Never>

  init() throws {
    let terminal = try PseudoTerminal(permissions: 0o666)
    let simulated = try SimulatedTerminal(
      receiver: SimulatedReceiver(.init(start: SystemClock.utcNow())), terminal: terminal)
    source = "serial:\(terminal.devnode)"
    sending = Task { await simulated.run() }
  }

  deinit { sending.cancel() }
}
