// SPDX-License-Identifier: Apache-2.0

internal import Positioning

/// The state of a plugin's place in a pipeline, its queue apart.
struct PluginState: Sendable {
  typealias Event = PluginSupervision.Event

  /// The result of one look at all that has happened.
  struct Step {
    var actions: [PluginSupervision.Action] = []
    var isNewlyOver = false
    var isNewlyDown = false
    /// Whether nothing more happens to the plugin.
    var isDone = false
    /// How long the new timer runs; `nil` to leave the timer alone.
    var timer: Duration?
  }

  var specification: PluginSpecification
  private(set) var supervision: PluginSupervision
  var status: PluginStatus
  /// Locations that a gate held and released, as it reported.
  private var releasedCount: UInt64 = 0
  /// Locations that a gate was given since one passed.
  private var waitingCount: UInt64 = 0
  /// The number of the last instance; there is at most one at a time.
  private(set) var instance: UInt64 = 0
  /// Whether the instance has returned, which is not handled yet.
  var hasReturned = false
  /// Whether the instance was told that its input is over.
  var sawEnd = false
  var isLeaving = false
  var isFinishing = false
  /// How many events were lost before the plugin was to leave or stop.
  var lostBefore: UInt64?
  /// Whether the pipeline stops.
  var isStopping = false
  /// The error of the last instance since the pipeline stops.
  private(set) var stopFailure: PluginError?
  /// Events for the supervision in order, each once: repeated calls from outside cost no memory.
  private var events: [Event] = [.begin]
  /// Whether what the instance does counts: not before its start, nor after it was abandoned.
  private var isHeard = false
  private var startedAt = Duration.zero
  private var callBeganAt: Duration?
  /// When the timer is over that runs now.
  private var timerDue: Duration?
  private var isToldToEnd = false
  private var cancelledAt: MonotonicTime?

  init(_ key: PluginKey, _ specification: PluginSpecification, _ stop: StopPolicy) {
    self.specification = specification
    supervision = PluginSupervision(
      restart: specification.restart, stop: stop, isRequired: specification.isRequired)
    status = PluginStatus(role: key.role, name: key.name, state: .stopped)
  }

  mutating func add(_ event: Event) { if !events.contains(event) { events.append(event) } }

  /// Whether what an instance does counts.
  func hears(_ number: UInt64) -> Bool { instance == number && isHeard }

  mutating func count(_ error: PluginError, at now: MonotonicTime) {
    status.errorCount &+= 1
    status.lastError = error
    status.lastErrorAt = now
  }

  // MARK: Calls

  /// When the present call is overdue.
  private var callDeadline: Duration? {
    guard supervision.phase == .running, let callBeganAt else { return nil }
    return specification.timeout.map { callBeganAt + $0 }
  }

  /// Begins a call.
  ///
  /// - Returns: Whether its deadline needs a timer: one runs from then on, not one for each call.
  mutating func beginCall(_ number: UInt64, at now: Duration, isEvent: Bool) -> Bool {
    guard hears(number) else { return false }
    if isEvent {
      status.inCount &+= 1
      if status.role == .gate { waitingCount &+= 1 }
    }
    callBeganAt = now
    return timerDue == nil && callDeadline != nil
  }

  mutating func endCall(_ number: UInt64) { if instance == number { callBeganAt = nil } }

  // MARK: Gates

  /// How many locations a gate has held; a location that it passed at once is none of them.
  var heldCount: UInt64 { releasedCount &+ waitingCount }

  mutating func gatePasses() {
    // A gate that reports no release held all but the last.
    gateReleases(Int(clamping: waitingCount) - 1)
  }

  mutating func gateReleases(_ count: Int) {
    releasedCount &+= UInt64(clamping: count)
    waitingCount = 0
  }

  // MARK: Supervision

  /// Gives all events so far to the supervision; `now` is for deadlines, `time` for ages.
  mutating func next(
    _ ended: PluginError??, _ mailbox: Mailbox, at now: Duration, _ time: MonotonicTime,
    using generator: inout some RandomNumberGenerator
  ) -> Step {
    let (wasOver, wasDown) = (supervision.isFinished, supervision.isDown)
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
    step.isNewlyOver = supervision.isFinished && !wasOver
    step.isNewlyDown = supervision.isDown && !wasDown
    step.isDone = supervision.isFinished && (isToldToEnd || supervision.phase == .stopped)
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
    case .stop, .cancel: isToldToEnd = true
    case .ended, .mustEnd:
      // The time inside a call that failed or did not return does not count as work.
      let worked = (callBeganAt ?? now) - startedAt
      if worked >= supervision.restart.healthyAfter { supervision.forgetFailures() }
      if case .ended = event { (isHeard, callBeganAt) = (false, nil) }
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
      (isHeard, sawEnd, stopFailure) = (true, false, nil)
      (startedAt, callBeganAt, timerDue) = (now, nil, nil)
      mailbox.read(by: instance)
    case .endInput:
      // A removed plugin drains its queue; a replaced one leaves it to its successor.
      if isLeaving { mailbox.finish() } else { mailbox.read(by: nil) }
    case .cancel:
      mailbox.read(by: nil)
      cancelledAt = time
    case .abandon: isHeard = false
    case .report(let error):
      count(error, at: time)
      if isStopping { stopFailure = error }
    case .endRun: break
    }
  }

  // MARK: Status

  /// The status and counts, with those of the queue.
  func status(_ mailbox: Mailbox) -> PluginStatus {
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
    return status
  }
}
