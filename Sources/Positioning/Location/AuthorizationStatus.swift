// SPDX-License-Identifier: Apache-2.0

/// Whether a program may know where the board is.
///
/// As in Core Location, by name and number; who decides is another.
public enum AuthorizationStatus: Int, Hashable, Codable, Sendable, CaseIterable {
  /// Nobody has decided yet.
  ///
  /// As in Core Location.
  case notDetermined = 0
  /// Locked by the administrator: no request changes it.
  ///
  /// Core Location's is by restrictions that the user cannot change. Differs in that it is also
  /// what holds while the board's decisions cannot be read: what is in doubt is not granted.
  case restricted = 1
  /// Refused by a decision that can be changed.
  ///
  /// As in Core Location, where either the program was refused or location services are off.
  case denied = 2
  /// Allowed at any time.
  ///
  /// Core Location also starts a program that is not running for an event. Differs in that no
  /// program is started: a service manager does that here.
  case authorizedAlways = 3
  /// Allowed while the program is in use.
  ///
  /// Core Location's program is in use while a person sees it. Differs in that nobody sees one on a
  /// board: it is in use while it has a subscription open or has declared an activity.
  case authorizedWhenInUse = 4

  /// Whether locations may be delivered.
  public var isAuthorized: Bool { self == .authorizedAlways || self == .authorizedWhenInUse }

  /// Whether the answer is no, by decision or by lock.
  public var isRefused: Bool { self == .denied || self == .restricted }
}
