// SPDX-License-Identifier: Apache-2.0

public import Positioning

/// The authorization that a program can request.
public enum AuthorizationRequest: String, Hashable, Codable, Sendable, CaseIterable {
  /// Locations while the program is in use.
  case whenInUse
  /// Locations at any time.
  case always
}

/// The immediate answer of a policy to a request.
public enum AuthorizationAnswer: Hashable, Sendable {
  /// The authorization from now on.
  case decided(Authorization)
  /// Not decided yet: the request waits, and the answer arrives as an ``AuthorizationUpdate``.
  case pending
}

/// The answer of a policy to a request for temporary full accuracy.
public enum FullAccuracyAnswer: Hashable, Sendable {
  /// Granted for this duration; `nil` means until the policy ends the grant or the manager is
  /// released.
  case granted(duration: Duration?)
  /// Refused.
  case declined
  /// The policy defines no purpose with this key.
  case unknownPurpose
}

/// A change that a policy reports by itself, or the late answer to a request.
public enum AuthorizationUpdate: Hashable, Sendable {
  /// The authorization from now on, after an answer, a revocation, an expiry or another change.
  ///
  /// The accuracy is that of the permanent grant. Temporary full accuracy is not included, and a
  /// decision for reduced accuracy does not end temporary full accuracy.
  case decided(Authorization)
  /// Location services are disabled for the whole board; when they are enabled again, a decision
  /// follows.
  case deniedGlobally
  /// A pending request was refused; the previous grant remains.
  case refused(AuthorizationRequest)
  /// A pending request ended without a decision and may be made again.
  case lapsed(AuthorizationRequest)
  /// Temporary full accuracy has ended.
  case fullAccuracyEnded
  /// The component that enforces decisions from now on.
  case mode(AuthorizationMode)
}

/// The component that enforces decisions about a program.
public enum AuthorizationMode: String, Hashable, Codable, Sendable, CaseIterable {
  /// This process, with a policy of its own that applies only to cooperating programs.
  case cooperative
  /// A daemon that serves the program; data that is not permitted never reaches the program.
  case enforced
  /// A daemon that does not answer or denies access; no locations arrive in this mode.
  case unreachable
}
