// SPDX-License-Identifier: Apache-2.0

/// Whether a program may know where the board is, with Core Location's names and numbers.
public enum AuthorizationStatus: Int, Hashable, Codable, Sendable, CaseIterable {
  /// Nobody has decided yet.
  case notDetermined = 0
  /// Locked by the administrator: no request changes it.
  case restricted = 1
  /// Refused by a decision that can be changed.
  case denied = 2
  /// Allowed at any time.
  case authorizedAlways = 3
  /// Allowed while the program is in use.
  case authorizedWhenInUse = 4

  /// Whether locations may be delivered.
  public var isAuthorized: Bool { self == .authorizedAlways || self == .authorizedWhenInUse }

  /// Whether the answer is no, by decision or by lock.
  public var isRefused: Bool { self == .denied || self == .restricted }
}
