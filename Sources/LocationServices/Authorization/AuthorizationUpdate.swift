// SPDX-License-Identifier: Apache-2.0

/// What a policy says unasked, or long after it was asked.
public enum AuthorizationUpdate: Hashable, Sendable {
  /// What holds from now on: answered, revoked, expired, locked, narrowed, widened.
  ///
  /// The accuracy is the one of the standing grant: full accuracy for a while is not a decision,
  /// and a decision for reduced accuracy does not end it.
  case decided(Authorization)
  /// The switch for the whole board is off; a decision follows when it is on again.
  case deniedGlobally
  /// A pending request was refused, and what was granted before stays.
  case refused(AuthorizationRequest)
  /// A pending request is pending no more, and nobody decided: it may be made anew.
  case lapsed(AuthorizationRequest)
  /// Whether the program is in use, as far as the policy can tell.
  case inUse(Bool)
  /// Full accuracy that was granted for a while is over.
  case fullAccuracyEnded
  /// Who applies the decisions from now on.
  case mode(AuthorizationMode)
}
