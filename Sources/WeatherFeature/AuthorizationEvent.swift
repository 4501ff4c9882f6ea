// SPDX-License-Identifier: Apache-2.0

public import Pipeline
public import Positioning

/// An event with the authorization under which locations are delivered.
public struct AuthorizationEvent: PipelineEvent, Equatable {
  /// The authorization.
  public var authorization: Authorization

  /// Creates an event.
  public init(_ authorization: Authorization) { self.authorization = authorization }
}
