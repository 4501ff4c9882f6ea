// SPDX-License-Identifier: Apache-2.0

public import LocationServices
public import Pipeline

/// Tells the sinks of the authorization that locations are delivered under.
public struct AuthorizationEvent: PipelineEvent, Equatable {
  /// The authorization.
  public var authorization: Authorization

  /// Makes an event.
  public init(_ authorization: Authorization) { self.authorization = authorization }
}
