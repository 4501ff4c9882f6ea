// SPDX-License-Identifier: Apache-2.0

internal import Positioning

/// Who decides: the plug point of authorization.
///
/// A policy acts inside the process that asks. It binds programs that play along, and keeps out
/// nobody who opens the receiver's device node.
///
/// The two requirements without a default make a policy that decides at once or after a while.
/// One that lets an operator answer implements ``answer(_:purpose:)`` and ``updates()``.
public protocol AuthorizationPolicy: Sendable {
  /// What holds before anything is asked.
  var initialAuthorization: Authorization { get }

  /// Whether the switch for the whole board is off, before anything is asked.
  var isDeniedGlobally: Bool { get }

  /// Whether a subscription is enough for the program to be in use; otherwise it has to declare an
  /// activity.
  ///
  /// Matters to a program that may know only while it is in use.
  var isInUse: Bool { get }

  /// Who applies the decisions, before anything is asked.
  ///
  /// Under ``AuthorizationMode/enforced`` locations come as they may be known, and nothing is
  /// taken from them again. The default is ``AuthorizationMode/cooperative``.
  var mode: AuthorizationMode { get }

  /// Decides on a request; may take as long as an operator does.
  ///
  /// - Parameter request: What is asked for.
  /// - Returns: What holds from now on; not determined where the answer is still open.
  func decide(_ request: AuthorizationRequest) async -> Authorization

  /// Answers a request, or lets it wait.
  ///
  /// The default asks ``decide(_:)`` and takes "not determined" for a request that waits.
  ///
  /// - Parameters:
  ///   - request: What is asked for.
  ///   - purpose: What the program wants it for, in its own words; never empty.
  /// - Returns: The decision, or that there is none yet.
  func answer(_ request: AuthorizationRequest, purpose: String) async -> AuthorizationAnswer

  /// Decides on full accuracy for a while.
  ///
  /// - Parameter purposeKey: Which of the declared purposes it is for.
  /// - Returns: The decision; the default declines.
  func decideFullAccuracy(purposeKey: String) async -> FullAccuracyAnswer

  /// Starts to listen to decisions that nobody asked for: revoked, expired, locked, widened.
  ///
  /// - Returns: What holds from each moment on. The default has none.
  func changes() -> AsyncStream<Authorization>

  /// Starts to listen to all that the policy says unasked.
  ///
  /// - Returns: The updates, in order. The default has the decisions of ``changes()``.
  func updates() -> AsyncStream<AuthorizationUpdate>

  /// Starts to call back with all that the policy says unasked, in order.
  ///
  /// The default reads ``updates()`` in a task. Whoever also serves the locations that it decides
  /// about calls before it delivers what its word lets through: neither overtakes the other then.
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
  /// No.
  public var isDeniedGlobally: Bool { false }

  /// Yes.
  public var isInUse: Bool { true }

  /// This process.
  public var mode: AuthorizationMode { .cooperative }

  /// Asks ``decide(_:)``.
  ///
  /// - Parameters:
  ///   - request: What is asked for.
  ///   - purpose: What for.
  /// - Returns: The decision; pending where it is "not determined".
  public func answer(_ request: AuthorizationRequest, purpose: String) async -> AuthorizationAnswer
  {
    let decided = await decide(request)
    return decided.status == .notDetermined ? .pending : .decided(decided)
  }

  /// Declines.
  public func decideFullAccuracy(purposeKey: String) async -> FullAccuracyAnswer { .declined }

  /// No changes.
  ///
  /// - Returns: A stream that has ended.
  public func changes() -> AsyncStream<Authorization> { AsyncStream { $0.finish() } }

  /// The decisions of ``changes()``.
  ///
  /// - Returns: Each as an update.
  public func updates() -> AsyncStream<AuthorizationUpdate> {
    let changes = changes()
    let (updates, continuation) = AsyncStream.makeStream(of: AuthorizationUpdate.self)
    let forwarding = Task {
      for await change in changes { continuation.yield(.decided(change)) }
      continuation.finish()
    }
    continuation.onTermination = { _ in forwarding.cancel() }
    return updates
  }

  /// Reads ``updates()`` in a task.
  ///
  /// - Parameter take: Takes each update.
  /// - Returns: Goes on for as long as this is held.
  public func listen(
    _ take: @escaping @Sendable (AuthorizationUpdate) -> Void
  ) -> PolicyListening {
    let updates = updates()
    let reading = Task { for await update in updates { take(update) } }
    return PolicyListening { reading.cancel() }
  }

  /// Does nothing.
  public func note(_ use: ServiceUse) {}
}
