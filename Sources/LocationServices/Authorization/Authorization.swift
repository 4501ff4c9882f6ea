// SPDX-License-Identifier: Apache-2.0

public import Positioning

/// A decision on a program: whether it may know, and how precisely.
public struct Authorization: Hashable, Codable, Sendable {
  /// Whether it may know.
  public var status: AuthorizationStatus
  /// How precisely it may know.
  public var accuracy: AccuracyAuthorization

  /// Makes a decision.
  public init(_ status: AuthorizationStatus, accuracy: AccuracyAuthorization = .fullAccuracy) {
    self.status = status
    self.accuracy = accuracy
  }
}

/// What a program can ask for.
public enum AuthorizationRequest: String, Hashable, Codable, Sendable, CaseIterable {
  /// To know where the board is while the program is in use.
  case whenInUse
  /// To know at any time.
  case always
}

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
  /// Full accuracy that was granted for a while is over.
  case fullAccuracyEnded
  /// Who applies the decisions from now on.
  case mode(AuthorizationMode)
}

/// Who applies what is decided about a program.
public enum AuthorizationMode: String, Hashable, Codable, Sendable, CaseIterable {
  /// This process, by a policy of its own: it binds a program that plays along.
  case cooperative
  /// A daemon that serves the program: what it may not know never reaches it.
  case enforced
  /// A daemon that does not answer, or may not be asked: nothing comes meanwhile.
  case unreachable
}
