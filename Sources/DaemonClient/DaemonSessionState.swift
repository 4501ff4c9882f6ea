// SPDX-License-Identifier: Apache-2.0

internal import DaemonProtocol
internal import LocationServices
internal import Positioning

/// The state of a session, protected by the session's lock.
struct DaemonSessionState: Sendable {
  var link: DaemonLink
  var decisions: DaemonDecisions
  var use = LocationUse()
  /// The last received heading, which precedes the fix of its epoch.
  var heading: Heading?
  var nextID: UInt64 = 0
  var listeners: [UInt64: @Sendable (AuthorizationUpdate) -> Void] = [:]
  /// The signals for pending requests for full accuracy.
  var fullAccuracySignals: [UInt64: AsyncStream<DaemonAction.Signal>.Continuation] = [:]
  var deliver: @Sendable (DaemonSession.Event) -> Void = { _ in }
  /// The queue of actions that cannot be performed at once; `nil` while the session is not running.
  var jobs: AsyncStream<DaemonAction>.Continuation?

  /// Handles an event of a connection.
  ///
  /// Ignores events of a replaced connection, because the active connection delivers the same
  /// events.
  mutating func handle(
    _ event: DaemonEvent, of number: UInt64, _ parameters: DaemonLink.Parameters
  ) -> [DaemonAction] {
    guard let isActive = link.isActive(number) else { return [] }
    let event = addingHeading(to: event)
    var actions = link.handle(.received(number, parameters)) + [.deliver(.object(event))]
    if case .authorization(let authorization) = event {
      actions +=
        link.handle(.receivedAuthorization) + decisions.handle(authorization, isFirst: !isActive)
    }
    return actions
  }

  /// Returns the event; a fix gets the heading that was received for its epoch.
  private mutating func addingHeading(to event: DaemonEvent) -> DaemonEvent {
    switch event {
    case .heading(let received): heading = received
    case .fix(var fix):
      guard let heading, heading.source == fix.source, heading.time == fix.time else { break }
      fix.headingDegreesTrue = heading.degreesTrue
      fix.headingDegreesMagnetic = heading.degreesMagnetic
      fix.rollDegrees = heading.rollDegrees
      fix.pitchDegrees = heading.pitchDegrees
      self.heading = nil
      return .fix(fix)
    default: break
    }
    return event
  }
}

extension DaemonSession.Event {
  func sourceEvent(now: @Sendable () -> MonotonicTime) -> FixSourceEvent? {
    switch self {
    case .object(.fix(let fix)): return .fix(fix)
    case .object(.sky(let sky)): return .sky(sky)
    case .object(.receiver(let receiver)): return .receiver(receiver)
    case .object(.message(let message)): return .message(message)
    case .object(.lost(let loss, _)): return .lost(loss)
    case .object(let event): return event.instruments(now: now()).map { .instruments($0) }
    case .lost(let error):
      let isAbsent = if case .noDaemon = error { true } else { false }
      return .lost(SourceLoss(isAbsent ? .unreachable : .disconnected, detail: "\(error)"))
    }
  }
}
