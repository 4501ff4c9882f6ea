// SPDX-License-Identifier: Apache-2.0

internal import Positioning

/// The state of a plugin in a pipeline, without its queue.
struct PluginState: Sendable {
  typealias Event = PluginSupervision.Event

  /// The result of handling all pending events.
  struct Step {
    var actions: [PluginSupervision.Action] = []
    /// Whether the plugin stopped or failed permanently in this step.
    var hasJustFinished = false
    /// Whether the plugin stopped accepting events in this step.
    var hasJustGoneDown = false
    /// Whether the task that supervises the plugin can end.
    var isDone = false
    /// The duration of the new timer; `nil` to keep the current timer.
    var timer: Duration?
  }

  var specification: PluginSpecification
  private(set) var supervision: PluginSupervision
  var status: PluginStatus
  /// The number of locations that a gate held until it passed a later location.
  private var releasedCount: UInt64 = 0
  /// The number of locations sent to a gate since it last passed a location.
  private var waitingCount: UInt64 = 0
  /// The number of the latest instance.
  ///
  /// At most one instance exists at a time.
  private(set) var instance: UInt64 = 0
  /// Whether the instance has returned, but the supervisor has not yet handled its end.
  var hasReturned = false
  /// Whether the instance has received the end of its input.
  var hasReceivedEnd = false
  var isDraining = false
  var isFinishing = false
  /// The number of events that were already lost when the plugin or the pipeline began to stop.
  var lostBeforeStop: UInt64?
  /// Whether the pipeline is stopping.
  var isStopping = false
  /// The last error since the pipeline began to stop.
  private(set) var stopFailure: PluginError?
  /// Pending events for the supervision, in order, without duplicates.
  ///
  /// Repeated external calls therefore use no additional memory.
  private var events: [Event] = [.begin]
  /// Whether calls of the instance take effect: from its start until it ends or is abandoned.
  private var isInstanceActive = false
  private var startedAt = Duration.zero
  private var callBeganAt: Duration?
  /// The instance of a sink that delivers events later; `nil` for another plugin.
  var deliveringSink: (any DeliveringSink)?
  /// The time of the first failure since the plugin last completed an event; `nil` if it has
  /// completed one since its last failure.
  private var failingSince: MonotonicTime?
  /// The time at which the plugin began to work; `nil` before its start.
  private var workingSince: MonotonicTime?
  /// The time at which the running timer expires.
  private var timerDue: Duration?
  private var isStopRequested = false
  private var cancelledAt: MonotonicTime?

  init(_ key: PluginKey, _ specification: PluginSpecification, _ stop: StopPolicy) {
    self.specification = specification
    supervision = PluginSupervision(
      restart: specification.restart, stop: stop, isRequired: specification.isRequired)
    status = PluginStatus(role: key.role, name: key.name, state: .stopped)
  }

  mutating func add(_ event: Event) { if !events.contains(event) { events.append(event) } }

  /// Whether the instance with this number is active, so that its calls take effect.
  func isActive(_ number: UInt64) -> Bool { instance == number && isInstanceActive }

  mutating func count(_ error: PluginError, at now: MonotonicTime) {
    status.errorCount &+= 1
    status.lastError = error
    status.lastErrorAt = now
  }

  /// Records that the plugin has completed an event.
  mutating func countSuccess(at now: MonotonicTime) {
    status.lastSuccessAt = now
    if failingSince != nil { (failingSince, workingSince) = (nil, now) }
  }

  // MARK: Calls

  /// The time at which the current call is overdue.
  private var callDeadline: Duration? {
    guard supervision.phase == .running, let callBeganAt else { return nil }
    return specification.timeout.map { callBeganAt + $0 }
  }

  /// Begins a call.
  ///
  /// - Returns: Whether a timer must be started for the deadline of the call: false if a timer is
  ///   already running, since one timer serves all calls.
  mutating func beginCall(_ number: UInt64, at now: Duration, isEvent: Bool) -> Bool {
    guard isActive(number) else { return false }
    if isEvent {
      status.inCount &+= 1
      if status.role == .gate { waitingCount &+= 1 }
    }
    callBeganAt = now
    return timerDue == nil && callDeadline != nil
  }

  mutating func endCall(_ number: UInt64) { if instance == number { callBeganAt = nil } }

  // MARK: Gates

  /// The number of locations that a gate has held.
  ///
  /// A location that passes immediately is not counted.
  var heldCount: UInt64 { releasedCount &+ waitingCount }

  mutating func countGatePass() {
    // All locations but the last were held. A gate that reports its own count has already reset
    // `waitingCount`: the argument is then -1, which is clamped to 0.
    countGateRelease(Int(clamping: waitingCount) - 1)
  }

  mutating func countGateRelease(_ count: Int) {
    releasedCount &+= UInt64(clamping: count)
    waitingCount = 0
  }

  // MARK: Supervision

  /// Passes all pending events, and the end of the instance, to the supervision.
  ///
  /// `ended` is `nil` unless the instance has just ended; it then contains the instance's error, or
  /// `nil` after an end without error. Deadlines use `now`; timestamps use `time`.
  mutating func next(
    _ ended: PluginError??, _ mailbox: Mailbox, at now: Duration, _ time: MonotonicTime,
    using generator: inout some RandomNumberGenerator
  ) -> Step {
    let (wasFinished, wasDown) = (supervision.isFinished, supervision.isDown)
    var events = events
    self.events = []
    if let error = ended {
      hasReturned = false
      mailbox.putBack(from: instance)
      events.insert(supervision.isInsideCall ? .returned : .ended(error), at: 0)
    }
    var step = Step()
    for event in events + [.timer] {
      step.actions += handle(event, at: now, using: &generator)
    }
    if let deadline = callDeadline, deadline <= now, let limit = specification.timeout {
      status.timeoutCount &+= 1
      let overdue = PluginError(.transient(), "", why: "one event took longer than \(limit)")
      step.actions += handle(.mustEnd(overdue), at: now, using: &generator)
    }
    for action in step.actions { apply(action, mailbox, at: now, time) }
    step.hasJustFinished = supervision.isFinished && !wasFinished
    step.hasJustGoneDown = supervision.isDown && !wasDown
    step.isDone = supervision.isFinished && (isStopRequested || supervision.phase == .stopped)
    if let due = timerDue, due <= now { timerDue = nil }
    let due = [supervision.deadline, callDeadline].compactMap(\.self).min()
    if let due, timerDue.map({ due < $0 }) ?? true {
      timerDue = due
      step.timer = due - now
    }
    return step
  }

  private mutating func handle(
    _ event: Event, at now: Duration, using generator: inout some RandomNumberGenerator
  ) -> [PluginSupervision.Action] {
    switch event {
    case .replace:
      supervision.restart = specification.restart
      supervision.isRequired = specification.isRequired
      failingSince = nil
    case .stop, .cancel: isStopRequested = true
    case .ended, .mustEnd:
      // Exclude the time inside a call that failed or did not return.
      let workingTime = (callBeganAt ?? now) - startedAt
      if workingTime >= supervision.restart.healthyAfter { supervision.forgetFailures() }
      if case .ended = event { (isInstanceActive, callBeganAt) = (false, nil) }
    default: break
    }
    return supervision.handle(event, at: now, using: &generator)
  }

  private mutating func apply(
    _ action: PluginSupervision.Action, _ mailbox: Mailbox, at now: Duration, _ time: MonotonicTime
  ) {
    switch action {
    case .start:
      instance += 1
      (isInstanceActive, hasReceivedEnd, stopFailure) = (true, false, nil)
      (startedAt, callBeganAt, timerDue, deliveringSink) = (now, nil, nil, nil)
      workingSince = workingSince ?? time
      mailbox.setReader(instance)
    case .endInput:
      // A removed plugin empties its queue. A replaced plugin leaves the queue to its successor.
      if isDraining { mailbox.finish() } else { mailbox.setReader(nil) }
    case .cancel:
      mailbox.setReader(nil)
      cancelledAt = time
    case .abandon: isInstanceActive = false
    case .report(let error):
      count(error, at: time)
      failingSince = failingSince ?? time
      if isStopping { stopFailure = error }
    case .endRun: break
    }
  }

  // MARK: Status

  /// The duration of a call after which a sink counts as waiting.
  private static let slowCallSeconds = 10

  /// Returns the status with the plugin's and the queue's counts.
  ///
  /// `now` is the time of the deadlines, `time` that of the timestamps.
  func status(_ mailbox: Mailbox, at now: Duration, _ time: MonotonicTime) -> PluginStatus {
    let queue = mailbox.queue
    var status = status
    status.state =
      switch supervision.phase {
      case .running, .ending: .running
      case .waiting: .waiting
      case .blocked: .blocked
      case .failed: .failed
      case .idle, .stopped: .stopped
      }
    status.isRequired = specification.isRequired
    status.droppedCount = queue.droppedCount &+ queue.lostCount
    status.restartCount = supervision.restartCount
    status.abandonedCount = supervision.abandonedCount
    status.blockedSince = supervision.phase == .blocked ? cancelledAt : nil
    status.queueDepth = queue.depth
    status.batchedCount = mailbox.batchedCount
    status.queueHighWater = queue.highWater
    status.queueLimit = queue.policy.limit
    let delivery = deliveringSink?.delivery
    status.undeliveredCount = delivery?.undeliveredCount ?? 0
    status.oldestAt = [queue.oldestAt, delivery?.oldestAt].compactMap(\.self).min()
    setReason(in: &status, delivery, at: now, time)
    return status
  }

  /// Sets the reason and the time of the state; a running sink that does not deliver is waiting.
  private func setReason(
    in status: inout PluginStatus, _ delivery: SinkDelivery?, at now: Duration,
    _ time: MonotonicTime
  ) {
    func ago(_ start: Duration) -> MonotonicTime {
      time.advanced(byNanoseconds: -Int64(min((now - start) / .nanoseconds(1), 9e18)))
    }
    guard status.state == .running else {
      guard status.state != .stopped else { return }
      (status.reason, status.since) = (status.lastError.map { "\($0)" }, failingSince)
      return
    }
    // A sink that has only been restarted fails again with its next event, unless it has run for
    // long since then.
    let isRestarted = failingSince != nil && now - startedAt < supervision.restart.healthyAfter
    status.since = failingSince == nil ? workingSince : ago(startedAt)
    guard status.role == .sink, supervision.phase == .running else { return }
    if isRestarted {
      (status.reason, status.since) = (status.lastError.map { "\($0)" }, failingSince)
    } else if let reason = delivery?.waitingReason {
      (status.reason, status.since) = (reason, delivery?.since ?? status.since)
    } else if let callBeganAt, now - callBeganAt >= .seconds(Self.slowCallSeconds) {
      status.reason = "one event has taken more than \(Self.slowCallSeconds) s so far"
      status.since = ago(callBeganAt)
    } else {
      status.since = [status.since, delivery?.since].compactMap(\.self).max()
      return
    }
    status.state = .waiting
  }
}
