// SPDX-License-Identifier: Apache-2.0

/// The authorization of a program to receive the board's location.
///
/// Corresponds to `CLAuthorizationStatus`, with the same names and numbers. Rules and an operator
/// decide instead of the user.
public enum AuthorizationStatus: Int, Hashable, Codable, Sendable, CaseIterable {
  /// There is no decision yet.
  ///
  /// As in Core Location.
  case notDetermined = 0
  /// Locked by the administrator; a request cannot change this status.
  ///
  /// Core Location uses this status for restrictions that the user cannot change. Differs from Core
  /// Location: the status is also used while the decisions on the board cannot be read.
  case restricted = 1
  /// Refused by a decision that can be changed.
  ///
  /// As in Core Location: the program was refused, or location services are off.
  case denied = 2
  /// Allowed at any time.
  ///
  /// Core Location also launches the program for an event. Differs from Core Location: no program
  /// is started. A service manager can start programs.
  case authorizedAlways = 3
  /// Allowed while the program is in use.
  ///
  /// In Core Location, a program is in use while it is visible. Differs from Core Location: a
  /// program is in use while it has an open subscription or has declared an activity.
  case authorizedWhenInUse = 4

  /// Whether locations may be delivered.
  public var isAuthorized: Bool { self == .authorizedAlways || self == .authorizedWhenInUse }

  /// Whether the status is denied or restricted.
  public var isRefused: Bool { self == .denied || self == .restricted }
}
