// SPDX-License-Identifier: Apache-2.0

public import Positioning

/// Grants each request as it is made.
public struct AllowAll: AuthorizationPolicy {
  /// What holds before anything is asked.
  public let initialAuthorization: Authorization

  /// Makes the policy.
  ///
  /// - Parameter status: What holds before anything is asked.
  public init(initially status: AuthorizationStatus = .notDetermined) {
    initialAuthorization = Authorization(status)
  }

  /// Grants.
  public func decide(_ request: AuthorizationRequest) async -> Authorization {
    switch request {
    case .whenInUse: Authorization(.authorizedWhenInUse)
    case .always: Authorization(.authorizedAlways)
    }
  }

  /// Grants full accuracy for as long as the program runs.
  public func decideFullAccuracy(purposeKey: String) async -> FullAccuracyAnswer {
    .granted(duration: nil)
  }
}
