// SPDX-License-Identifier: Apache-2.0

public import Positioning
internal import Synchronization

/// Who decides: the plug point of authorization.
///
/// A policy acts inside the process that asks. It binds programs that play along, and keeps out
/// nobody who opens the receiver's device node.
///
/// The two requirements without a default make a policy that decides at once.
public protocol AuthorizationPolicy: Sendable {
  /// What holds before anything is asked.
  var initialAuthorization: Authorization { get }

  /// Whether the switch for the whole board is off before anything is asked; by default it is on.
  var isDeniedGlobally: Bool { get }

  /// Who applies the decisions, before anything is asked.
  ///
  /// Under ``AuthorizationMode/enforced`` locations come as they may be known, and nothing is
  /// taken from them again. The default is ``AuthorizationMode/cooperative``.
  var mode: AuthorizationMode { get }

  /// Answers a request, or lets it wait for an update.
  ///
  /// - Parameters:
  ///   - request: What is asked for.
  ///   - purpose: What the program wants it for, in its own words; never empty.
  /// - Returns: The decision, or that there is none yet.
  func answer(_ request: AuthorizationRequest, purpose: String) async -> AuthorizationAnswer

  /// Decides on full accuracy for a while; may take as long as an operator does.
  ///
  /// - Parameter purposeKey: Which of the declared purposes it is for.
  /// - Returns: The decision; the default declines.
  func decideFullAccuracy(purposeKey: String) async -> FullAccuracyAnswer

  /// Starts to call back with all that the policy says unasked, in order. The default says nothing.
  ///
  /// A policy that also serves the locations that it decides about calls before it delivers what
  /// its decision lets through: neither overtakes the other then.
  ///
  /// - Parameter take: Takes each update; must return at once.
  /// - Returns: Goes on for as long as this is held.
  func listen(_ take: @escaping @Sendable (AuthorizationUpdate) -> Void) -> PolicyListening

  /// Takes note of what the program does with its grant; must return at once.
  ///
  /// The default does nothing.
  func note(_ use: ServiceUse)
}

extension AuthorizationPolicy {
  /// The switch is on.
  public var isDeniedGlobally: Bool { false }

  /// This process applies the decisions.
  public var mode: AuthorizationMode { .cooperative }

  /// Declines.
  public func decideFullAccuracy(purposeKey: String) async -> FullAccuracyAnswer { .declined }

  /// Never calls back.
  public func listen(
    _ take: @escaping @Sendable (AuthorizationUpdate) -> Void
  ) -> PolicyListening { PolicyListening {} }

  /// Does nothing.
  public func note(_ use: ServiceUse) {}

  /// Starts to listen to all that the policy says unasked.
  ///
  /// - Returns: The updates, in order; a listener that is more than 64 behind misses the oldest.
  public func updates() -> AsyncStream<AuthorizationUpdate> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: AuthorizationUpdate.self, bufferingPolicy: .bufferingNewest(64))
    let listening = listen { continuation.yield($0) }
    continuation.onTermination = { _ in listening.end() }
    return stream
  }
}

/// That somebody listens to a policy, for as long as this is held.
public final class PolicyListening: Sendable {
  private let stop: Mutex<(@Sendable () -> Void)?>

  /// Makes one that goes on.
  ///
  /// - Parameter stop: Ends it; called once.
  public init(_ stop: @escaping @Sendable () -> Void) { self.stop = Mutex(stop) }

  /// Ends it; also happens when it is released.
  public func end() {
    let stop = stop.withLock { stop in
      defer { stop = nil }
      return stop
    }
    stop?()
  }

  deinit { end() }
}

/// Grants each request as it is made.
public struct AllowAll: AuthorizationPolicy {
  /// What holds before anything is asked.
  public let initialAuthorization: Authorization

  /// Makes the policy.
  public init(initially status: AuthorizationStatus = .notDetermined) {
    initialAuthorization = Authorization(status)
  }

  /// Grants.
  public func answer(
    _ request: AuthorizationRequest, purpose: String
  ) async -> AuthorizationAnswer {
    .decided(Authorization(request == .always ? .authorizedAlways : .authorizedWhenInUse))
  }

  /// Grants full accuracy for as long as the program runs.
  public func decideFullAccuracy(purposeKey: String) async -> FullAccuracyAnswer {
    .granted(duration: nil)
  }
}

/// Refuses each request.
public struct DenyAll: AuthorizationPolicy {
  /// What holds before anything is asked.
  public let initialAuthorization: Authorization

  /// Makes the policy.
  public init(initially status: AuthorizationStatus = .notDetermined) {
    initialAuthorization = Authorization(status)
  }

  /// Refuses.
  public func answer(
    _ request: AuthorizationRequest, purpose: String
  ) async -> AuthorizationAnswer { .decided(Authorization(.denied)) }
}
