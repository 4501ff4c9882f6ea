// SPDX-License-Identifier: Apache-2.0

public import Positioning

/// A decision on a program: whether it may know, and how precisely.
public struct Authorization: Hashable, Codable, Sendable {
  /// Whether.
  public var status: AuthorizationStatus
  /// How precisely.
  public var accuracy: AccuracyAuthorization

  /// Makes a decision.
  ///
  /// - Parameters:
  ///   - status: Whether.
  ///   - accuracy: How precisely.
  public init(_ status: AuthorizationStatus, accuracy: AccuracyAuthorization = .fullAccuracy) {
    self.status = status
    self.accuracy = accuracy
  }
}
