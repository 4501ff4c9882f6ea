// SPDX-License-Identifier: Apache-2.0

/// What a policy says to a request at once.
public enum AuthorizationAnswer: Hashable, Sendable {
  /// What holds from now on.
  case decided(Authorization)
  /// Nobody has decided: the request waits, and the answer comes as an ``AuthorizationUpdate``.
  case pending
}

/// What a policy says to a request for full accuracy by a program that has reduced accuracy.
public enum FullAccuracyAnswer: Hashable, Sendable {
  /// Full accuracy for that long; `nil` until the policy ends it or the manager is released.
  case granted(duration: Duration?)
  /// Refused.
  case declined
  /// The policy knows no purpose of that key.
  case unknownPurpose
}
