// SPDX-License-Identifier: Apache-2.0

internal import DaemonProtocol
internal import LocationServices
internal import Positioning

/// The state of a session, protected by the session's lock.
struct DaemonSessionState: Sendable {
  var link: DaemonLink
  var decisions: DaemonDecisions
  var use = LocationUse()
  var nextID: UInt64 = 0
  var listeners: [UInt64: @Sendable (AuthorizationUpdate) -> Void] = [:]
  /// The pending requests for full accuracy.
  var fullAccuracy: [UInt64: AsyncStream<DaemonAction.Signal>.Continuation] = [:]
  var take: @Sendable (DaemonSession.Event) -> Void = { _ in }
  /// The queue of actions that cannot be performed at once; `nil` while the session is not running.
  var jobs: AsyncStream<DaemonAction>.Continuation?

  /// Handles an event of a connection.
  ///
  /// Ignores events of a replaced connection, because the active connection delivers them, too.
  mutating func take(
    _ event: DaemonEvent, of number: UInt64, _ parameters: DaemonLink.Parameters
  ) -> [DaemonAction] {
    guard let isActive = link.isActive(number) else { return [] }
    var actions = link.handle(.received(number, parameters)) + [.deliver(.object(event))]
    if case .authorization(let authorization) = event {
      actions +=
        link.handle(.receivedAuthorization) + decisions.take(authorization, isFirst: !isActive)
    }
    return actions
  }
}

extension DaemonSession.Event {
  func ofSource(now: @Sendable () -> MonotonicTime) -> FixSourceEvent? {
    switch self {
    case .object(.fix(let fix)): return .fix(fix)
    case .object(.sky(let sky)): return .sky(sky)
    case .object(.receiver(let receiver)): return .receiver(receiver)
    case .object(.lost(let loss, _)): return .lost(loss)
    case .object(let event): return event.instruments(now: now()).map { .instruments($0) }
    case .lost(let error):
      let isAbsent = if case .noDaemon = error { true } else { false }
      return .lost(SourceLoss(isAbsent ? .unreachable : .disconnected, detail: "\(error)"))
    }
  }
}
