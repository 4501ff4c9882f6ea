// SPDX-License-Identifier: Apache-2.0

internal import LocationServices

/// An action that ``DaemonLink`` or ``DaemonDecisions`` requests from the session.
enum DaemonAction: Equatable, Sendable {
  /// Starts the connection with this number, which is higher than all previous numbers.
  case connect(UInt64, DaemonLink.Parameters)
  /// Closes all connections with a lower number.
  case disconnect(before: UInt64)
  /// Starts the wait with this number.
  case wait(UInt64, Duration)
  /// Sends a request after a delay; `nil` for no delay.
  case sendRequest(AuthorizationRequest, after: Duration?)
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
    case fullAccuracy
    case lost
  }
}
