// SPDX-License-Identifier: Apache-2.0

internal import LocationServices

/// What a session is to do, as decided without a thread, clock or socket.
enum DaemonAction: Equatable, Sendable {
  case connect(UInt64, DaemonLink.Terms)
  case disconnect(before: UInt64)
  case wait(DaemonLink.Wait, UInt64, Duration)
  case ask(AuthorizationRequest, after: Duration?)
  case tell([AuthorizationUpdate])
  /// The program may know nothing.
  case restrict
  case deliver(DaemonSession.Event)
  /// Tells those who wait for full accuracy.
  case arrive(Arrival)
  /// Tells whoever runs the board.
  case report(String)

  enum Arrival: Sendable {
    case connected
    case full
    case lost
  }
}
