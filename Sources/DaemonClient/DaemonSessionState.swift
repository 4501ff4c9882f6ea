// SPDX-License-Identifier: Apache-2.0

internal import DaemonProtocol
internal import LocationServices
internal import Positioning

/// What a session knows, under its lock.
struct DaemonSessionState: Sendable {
  var link: DaemonLink
  var decisions: DaemonDecisions
  var use = DaemonUse()
  var nextID: UInt64 = 0
  var listeners: [UInt64: @Sendable (AuthorizationUpdate) -> Void] = [:]
  /// Those who wait for full accuracy.
  var fullAccuracy: [UInt64: AsyncStream<DaemonAction.Arrival>.Continuation] = [:]
  var take: @Sendable (DaemonSession.Event) -> Void = { _ in }
  /// The actions that take time; `nil` while nobody runs the session.
  var jobs: AsyncStream<DaemonAction>.Continuation?

  /// Takes an event of a connection; what comes of one that was replaced has come already.
  mutating func take(
    _ event: DaemonEvent, of number: UInt64, _ terms: DaemonLink.Terms
  ) -> [DaemonAction] {
    guard let hasSpoken = link.hasSpoken(number) else { return [] }
    var actions = link.handle(.heard(number, terms)) + [.deliver(.object(event))]
    if case .authorization(let told) = event {
      actions += link.handle(.told) + decisions.take(told, isFirst: !hasSpoken)
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
