// SPDX-License-Identifier: Apache-2.0

import Positioning

/// One source of a group, and its life cycle.
struct SourceMember: Sendable {
  /// The phase of the life cycle.
  enum Phase: Equatable, Sendable {
    /// Waiting for gpsd, which may claim the receiver. Next: *running*, *reservedForGPSD*.
    case undecided(until: MonotonicTime)
    /// Next: *backingOff* on a failure, *ended* if the source is not restarted, *reservedForGPSD*.
    case running(SourceRun)
    /// Next: *running* at the given time.
    case backingOff(until: MonotonicTime)
    /// gpsd reads or claims the receiver. Next: *backingOff* when gpsd releases the receiver.
    case reservedForGPSD
    /// Not started yet, or ended permanently.
    case ended
  }

  /// The unique name in the group: the key of a named plan, or the stable name of a receiver.
  let name: String
  let plan: SourcePlan
  /// Whether the source was requested by name, not discovered.
  let isNamed: Bool
  /// The device of a port; `nil` if udev has not reported a device.
  private(set) var receiver: DiscoveredReceiver?
  /// The stable name of the device of a named port that was unplugged; `nil` while it is plugged in.
  private(set) var unpluggedName: String?
  private(set) var phase = Phase.ended
  /// The last failure, with its remedy; `nil` without a failure.
  private(set) var problem: String?
  /// Whether the source has delivered a fix or receiver since it was plugged in or requested.
  private(set) var hasDelivered = false

  init(_ plan: SourcePlan, isNamed: Bool) {
    (name, self.plan, self.isNamed) = (plan.key, plan, isNamed)
  }

  /// Makes the member of a discovered receiver.
  init(_ receiver: DiscoveredReceiver) {
    (name, plan, isNamed) = (receiver.name, .pluggedIn(receiver), false)
    self.receiver = receiver
  }

  var run: SourceRun? { if case .running(let run) = phase { run } else { nil } }

  /// The source name set in every fix; `nil` for gpsd, which has several receivers.
  var fixName: String? { plan.fixName }

  /// Whether this is a discovered port whose fixes are used only after two valid sentences.
  var isUnvalidated: Bool { plan.requiresValidation && !isNamed }

  /// Whether a port is running without a problem and is known to be a receiver.
  var isReading: Bool {
    plan.isPort && run != nil && problem == nil && (hasDelivered || !plan.requiresValidation)
  }

  /// Whether a port is open and has delivered no fix.
  var lacksFix: Bool { plan.isPort && run?.hasDelivered == false && problem == nil }

  /// The time of the next decision or restart if no event occurs earlier.
  var deadline: MonotonicTime? {
    switch phase {
    case .undecided(let until), .backingOff(let until): until
    case .running, .reservedForGPSD, .ended: nil
    }
  }

  /// Whether the source is one of the requested sources, or is discovered and not requested by name.
  func isWanted(among plans: [SourcePlan], autodetects: Bool) -> Bool {
    if isNamed { return plans.contains(plan) }
    guard autodetects else { return false }
    guard let receiver else { return !plans.contains(plan) }
    return !plans.contains { $0.refers(to: receiver) }
  }

  /// Returns the selector's key for a receiver of this source; gpsd may have several receivers.
  func key(for receiver: String?) -> String {
    if case .gpsd = plan { "\(name) \(receiver ?? "")" } else { name }
  }

  func owns(_ key: String) -> Bool {
    // Characters would join a space with a combining mark that a device's name begins with.
    if case .gpsd = plan { key.utf8.starts(with: "\(name) ".utf8) } else { key == name }
  }

  /// Whether this is the member of a receiver with unchanged syspath, devnode and role.
  func has(_ receiver: DiscoveredReceiver) -> Bool {
    guard let current = self.receiver else { return false }
    return (current.device.syspath, current.devnode, current.role)
      == (receiver.device.syspath, receiver.devnode, receiver.role)
  }

  /// Returns the description of the receiver.
  func info(isActive: Bool) -> ReceiverInfo {
    var info = ReceiverInfo(name: plan.name, isActive: isActive)
    info.stableName = receiver?.name
    info.model = receiver?.modelName
    if case .serial(_, let baud?, _, _) = plan { info.baud = baud }
    return info
  }

  // MARK: Life cycle

  /// Changes the phase; the last problem remains only if it is passed.
  mutating func enter(_ phase: Phase, problem: String? = nil) {
    (self.phase, self.problem) = (phase, problem)
  }

  mutating func updateRun(_ update: (inout SourceRun) -> Void) {
    guard case .running(var run) = phase else { return }
    update(&run)
    phase = .running(run)
  }

  /// Sets or clears the problem that the running source has reported.
  mutating func report(_ problem: String?) { self.problem = problem }

  /// Records a fix.
  mutating func noteEpoch(hasPosition: Bool, at now: MonotonicTime) {
    (problem, hasDelivered) = (nil, true)
    updateRun { $0.noteEpoch(hasPosition: hasPosition, at: now) }
  }

  /// Records that gpsd has reported a receiver.
  mutating func noteDelivery() { hasDelivered = true }

  /// Assigns a device to a named port.
  mutating func plug(_ receiver: DiscoveredReceiver) {
    (self.receiver, unpluggedName) = (receiver, nil)
    if run == nil { problem = nil }
  }

  /// Removes the device of a named port, whose run was stopped.
  mutating func unplug(until: MonotonicTime) {
    (unpluggedName, receiver, hasDelivered) = (receiver?.name, nil, false)
    enter(.backingOff(until: until), problem: "\(name): unplugged; plug it in again")
  }
}

/// One run of a source, from its start to its end, and why it has no position.
struct SourceRun: Equatable, Sendable {
  /// The unique number, which distinguishes this run's events from late events of previous runs.
  let number: Int
  let startedAt: MonotonicTime
  /// The counters of the run; updated only until its first position.
  private(set) var counters = NMEACounters()
  /// The receiver's statements about itself.
  private(set) var messages = ReceiverMessages()
  /// The time of the first epoch, with or without a position.
  private var firstEpochAt: MonotonicTime?
  /// The time of the last epoch, with or without a position.
  private var lastEpochAt: MonotonicTime?
  /// The time of the last epoch with a position.
  private var lastPositionAt: MonotonicTime?
  /// The last satellites since the last position.
  private var sky: SkySummary?

  init(number: Int, startedAt: MonotonicTime) {
    self.number = number
    self.startedAt = startedAt
  }

  /// Whether this run has delivered a fix.
  var hasDelivered: Bool { firstEpochAt != nil }
  var hasHadPosition: Bool { lastPositionAt != nil }

  /// Returns whether the newest position is at most `seconds` old.
  func hasPosition(within seconds: Double, at now: MonotonicTime) -> Bool {
    lastPositionAt.map { now.seconds(since: $0) <= seconds } ?? false
  }

  /// The kind of data that the port has sent.
  var input: LineInput {
    let trials = counters.trials
    guard !trials.bauds.isEmpty, counters.readableSentences == 0 else { return LineInput(counters) }
    return max(trials.best, counters.bytes > 0 ? .unreadable : .none)
  }

  // MARK: Events

  /// Records an epoch.
  mutating func noteEpoch(hasPosition: Bool, at now: MonotonicTime) {
    firstEpochAt = firstEpochAt ?? now
    lastEpochAt = now
    if hasPosition { (lastPositionAt, sky) = (now, nil) }
  }

  /// Records the satellites while there is no current position.
  mutating func note(_ view: SkyView, at now: MonotonicTime) {
    // With a position, the satellites need no explanation.
    guard !hasPosition(within: 2, at: now) else { return }
    sky = SkySummary(view)
  }

  mutating func note(_ message: ReceiverMessage) { messages.note(message) }

  mutating func note(_ counters: NMEACounters) { self.counters = counters }

  // MARK: Explanation

  /// Returns why the run of a member has no position; with no epoch for `limit` seconds, the member
  /// counts as silent.
  ///
  /// Returns `nil` if the source has reported nothing and its input is unknown.
  func noFixExplanation(
    of member: SourceMember, silentAfter limit: Double, at now: MonotonicTime
  ) -> NoFixExplanation? {
    guard let firstEpochAt, let lastEpochAt else {
      // Only the input of a serial port is counted. A modem's port is silent until it is enabled.
      guard member.plan.isPort,
        member.receiver?.role != .modemPort || counters.readableSentences > 0
      else { return nil }
      var explanation = NoFixExplanation(
        source: member.plan.name, input: input, reportsEpochs: false,
        seconds: now.seconds(since: startedAt))
      explanation.triedBauds = counters.trials.bauds
      explanation.readableBaud = counters.trials.bestBaud
      explanation.firstRefused = counters.firstRefused
      explanation.message = messages.fault(at: now)
      return explanation
    }
    guard now.seconds(since: lastEpochAt) <= limit else {
      return NoFixExplanation(
        source: member.plan.name, input: .none, reportsEpochs: false,
        seconds: now.seconds(since: lastEpochAt))
    }
    var explanation = NoFixExplanation(
      source: member.plan.name, input: .nmea, reportsEpochs: true,
      seconds: now.seconds(since: lastPositionAt ?? firstEpochAt), sky: sky)
    explanation.message = messages.fault(at: now)
    // Fewer refused sentences than one of twenty do not explain a missing position.
    if counters.refusedSentences &* 19 >= counters.sentences {
      explanation.firstRefused = counters.firstRefused
    }
    return explanation
  }
}
