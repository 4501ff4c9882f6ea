// SPDX-License-Identifier: Apache-2.0

public import Positioning

/// Refuses each request.
public struct DenyAll: AuthorizationPolicy {
  /// What holds before anything is asked.
  public let initialAuthorization: Authorization

  /// Makes the policy.
  ///
  /// - Parameter status: What holds before anything is asked.
  public init(initially status: AuthorizationStatus = .notDetermined) {
    initialAuthorization = Authorization(status)
  }

  /// Refuses.
  public func decide(_ request: AuthorizationRequest) async -> Authorization {
    Authorization(.denied)
  }
}
