// SPDX-License-Identifier: Apache-2.0

internal import LocationServices

/// An action for a session, decided by ``DaemonLink`` and ``DaemonDecisions``.
enum DaemonAction: Equatable, Sendable {
  case connect(UInt64, DaemonLink.Parameters)
  case disconnect(before: UInt64)
  case wait(DaemonLink.Wait, UInt64, Duration)
  case ask(AuthorizationRequest, after: Duration?)
  /// Notifies the policy's listeners.
  case notify([AuthorizationUpdate])
  /// Sets the program's authorization to restricted.
  case restrict
  case deliver(DaemonSession.Event)
  /// Signals pending requests for full accuracy.
  case signal(Signal)
  /// Writes a line to the log.
  case report(String)

  enum Signal: Sendable {
    case connected
    case full
    case lost
  }
}
