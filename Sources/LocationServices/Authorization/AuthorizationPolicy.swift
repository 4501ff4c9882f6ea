// SPDX-License-Identifier: Apache-2.0

/// What a program can ask for.
public enum AuthorizationRequest: Hashable, Sendable {
  /// To know where the board is while the program is in use.
  case whenInUse
  /// To know at any time.
  case always
}

/// Who decides: the plug point of authorization.
///
/// A policy acts inside the process that asks. It binds programs that play along, and keeps out
/// nobody who opens the receiver's device node.
public protocol AuthorizationPolicy: Sendable {
  /// What holds before anything is asked.
  var initialAuthorization: Authorization { get }

  /// Decides on a request; may take as long as an operator does.
  ///
  /// - Parameter request: What is asked for.
  /// - Returns: What holds from now on; not determined where the answer is still open.
  func decide(_ request: AuthorizationRequest) async -> Authorization

  /// Starts to listen to decisions that nobody asked for: revoked, expired, locked, widened.
  ///
  /// - Returns: What holds from each moment on. The default has none.
  func changes() -> AsyncStream<Authorization>
}

extension AuthorizationPolicy {
  /// No changes.
  ///
  /// - Returns: A stream that has ended.
  public func changes() -> AsyncStream<Authorization> { AsyncStream { $0.finish() } }
}

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
  ///
  /// - Parameter request: What is asked for.
  /// - Returns: Exactly that.
  public func decide(_ request: AuthorizationRequest) async -> Authorization {
    switch request {
    case .whenInUse: Authorization(.authorizedWhenInUse)
    case .always: Authorization(.authorizedAlways)
    }
  }
}

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
  ///
  /// - Parameter request: What is asked for.
  /// - Returns: Denied.
  public func decide(_ request: AuthorizationRequest) async -> Authorization {
    Authorization(.denied)
  }
}
