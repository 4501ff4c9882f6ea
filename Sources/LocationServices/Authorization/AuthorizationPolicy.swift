// SPDX-License-Identifier: Apache-2.0

public import Positioning
internal import Synchronization

/// Decides whether a program may read locations.
///
/// A policy runs inside the program that makes the request. It applies to cooperating programs, but
/// cannot stop a program that opens the receiver's device node.
///
/// A policy that decides at once implements only the two requirements without a default.
public protocol AuthorizationPolicy: Sendable {
  /// The authorization before any request.
  var initialAuthorization: Authorization { get }

  /// Whether location services are disabled for the whole board at the start; by default they are
  /// not.
  var isDeniedGlobally: Bool { get }

  /// The component that enforces decisions when the policy is created.
  ///
  /// Under ``AuthorizationMode/enforced``, locations arrive with the permitted accuracy, and the
  /// manager does not reduce them again. The default is ``AuthorizationMode/cooperative``.
  var mode: AuthorizationMode { get }

  /// Decides a request, or leaves it pending until an update.
  ///
  /// - Parameters:
  ///   - request: The requested authorization.
  ///   - purpose: The purpose that the program states; never empty.
  /// - Returns: The decision, or `pending`.
  func answer(_ request: AuthorizationRequest, purpose: String) async -> AuthorizationAnswer

  /// Decides on temporary full accuracy; may take as long as an operator needs.
  ///
  /// `purposeKey` is the key of a declared purpose. The default implementation declines.
  func decideFullAccuracy(purposeKey: String) async -> FullAccuracyAnswer

  /// Subscribes to the updates that the policy sends by itself, in order.
  ///
  /// The default implementation sends no updates. A policy that also serves the locations sends an
  /// update before the locations that the update permits.
  ///
  /// - Parameter take: Receives each update; must return at once.
  /// - Returns: The subscription, which ends when it is released.
  func listen(_ take: @escaping @Sendable (AuthorizationUpdate) -> Void) -> PolicyListening

  /// Records what the program does with its grant; must return at once.
  ///
  /// The default implementation does nothing.
  func note(_ use: ServiceUse)
}

extension AuthorizationPolicy {
  /// Returns false: location services are enabled.
  public var isDeniedGlobally: Bool { false }

  /// Returns `cooperative`: this process applies the decisions.
  public var mode: AuthorizationMode { .cooperative }

  /// Declines.
  public func decideFullAccuracy(purposeKey: String) async -> FullAccuracyAnswer { .declined }

  /// Sends no updates.
  public func listen(
    _ take: @escaping @Sendable (AuthorizationUpdate) -> Void
  ) -> PolicyListening { PolicyListening {} }

  /// Does nothing.
  public func note(_ use: ServiceUse) {}

  /// Returns the updates that the policy sends by itself, in order.
  ///
  /// A listener that is more than 64 updates behind misses the oldest ones.
  public func updates() -> AsyncStream<AuthorizationUpdate> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: AuthorizationUpdate.self, bufferingPolicy: .bufferingNewest(64))
    let listening = listen { continuation.yield($0) }
    continuation.onTermination = { _ in listening.end() }
    return stream
  }
}

/// A subscription to the updates of a policy, which lasts until this object is released.
public final class PolicyListening: Sendable {
  private let stop: Mutex<(@Sendable () -> Void)?>

  /// Creates an active subscription.
  ///
  /// - Parameter stop: Ends the subscription; called once.
  public init(_ stop: @escaping @Sendable () -> Void) { self.stop = Mutex(stop) }

  /// Ends the subscription; releasing the subscription does the same.
  public func end() {
    let stop = stop.withLock { stop in
      defer { stop = nil }
      return stop
    }
    stop?()
  }

  deinit { end() }
}

/// A policy that grants every request.
public struct AllowAll: AuthorizationPolicy {
  /// The authorization before any request.
  public let initialAuthorization: Authorization

  /// Creates the policy.
  public init(initially status: AuthorizationStatus = .notDetermined) {
    initialAuthorization = Authorization(status)
  }

  /// Grants the request.
  public func answer(
    _ request: AuthorizationRequest, purpose: String
  ) async -> AuthorizationAnswer {
    .decided(Authorization(request == .always ? .authorizedAlways : .authorizedWhenInUse))
  }

  /// Grants full accuracy until the manager is released.
  public func decideFullAccuracy(purposeKey: String) async -> FullAccuracyAnswer {
    .granted(duration: nil)
  }
}

/// A policy that refuses every request.
public struct DenyAll: AuthorizationPolicy {
  /// The authorization before any request.
  public let initialAuthorization: Authorization

  /// Creates the policy.
  public init(initially status: AuthorizationStatus = .notDetermined) {
    initialAuthorization = Authorization(status)
  }

  /// Refuses the request.
  public func answer(
    _ request: AuthorizationRequest, purpose: String
  ) async -> AuthorizationAnswer { .decided(Authorization(.denied)) }
}
