// SPDX-License-Identifier: Apache-2.0

/// The authorization of a program: whether it may read locations, and how precisely.
public struct Authorization: Hashable, Codable, Sendable {
  /// Whether the program may read locations.
  public var status: AuthorizationStatus
  /// The permitted accuracy.
  public var accuracy: AccuracyAuthorization

  /// Creates an authorization.
  public init(_ status: AuthorizationStatus, accuracy: AccuracyAuthorization = .fullAccuracy) {
    self.status = status
    self.accuracy = accuracy
  }
}
