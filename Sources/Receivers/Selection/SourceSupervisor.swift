// SPDX-License-Identifier: Apache-2.0

import Positioning
internal import SystemSupport

/// Decides which sources of a group run, and which of their events are delivered.
///
/// A supervisor has no clock, thread or port: ``SourceGroupRun`` starts and stops the runs, and
/// reports their events and ends. A receiver that is plugged in is read at once unless gpsd claims
/// the receiver. A source that fails is restarted with back-off. Only fixes and sky views of the
/// source that ``SourceSelector`` has chosen are delivered.
struct SourceSupervisor: Sendable {
  enum Event: Equatable, Sendable {
    case discovered(DiscoveryEvent, isConfiguredForGPSD: Bool)
    case received(run: Int, FixSourceEvent)
    /// The discovery was restarted: all devices are reported again.
    case discoveryRestarted
    /// A run has ended: with a failure, or at the end of its input.
    case ended(run: Int, SourceFailure?)
    /// The sources of the group were set or replaced; `local` is the gpsd of this host.
    case replaced([SourcePlan], autodetects: Bool, local: GPSDAddress?)
    /// ``SourceSupervisor/deadline`` may have passed. Harmless if sent early.
    case tick
  }

  /// An action for ``SourceGroupRun``, to be executed in order.
  enum Action: Equatable, Sendable {
    case start(run: Int, SourcePlan)
    /// Stop a run; its later events are ignored.
    case stop(run: Int)
    case deliver(FixSourceEvent)
    /// Restart the discovery, since receivers that were refused can now be added.
    case restartDiscovery
    /// Return from the group's run: all sources have ended permanently. Carries their failures.
    case finish(failures: [String])
  }

  /// The maximum number of sources of a group; equal to the selector's limit.
  static let memberLimit = 16
  /// The time after which an open port without a fix is reported.
  static let silenceNanoseconds = GPSDSession.Options().silenceNanoseconds
  /// The length of a run after which the back-off starts from the beginning.
  static let healthyNanoseconds: Int64 = 10_000_000_000
  /// The time after which a port that is open under another name is tried again.
  static let duplicateNanoseconds: Int64 = 5_000_000_000

  /// Whether discovered receivers are added automatically.
  private(set) var autodetects = false
  var members: [String: SourceMember] = [:]
  var selector = SourceSelector()
  /// The name of the member of each run, by run number.
  private(set) var owners: [Int: String] = [:]
  var gpsd = LocalGPSDState()
  /// The devices that the discovery has reported.
  var present = PresentReceivers()
  /// Converters that may not be opened without the user's consent, by name.
  var candidates: [String: DiscoveredReceiver] = [:]
  var discoveryNotice: String?
  var obstacle = SourceObstacle()
  private(set) var tickedAt = MonotonicTime(nanoseconds: .min)
  /// The number of sources refused because the group has ``memberLimit`` members.
  var refusedCount: UInt64 = 0
  private let restartsFailedSources: Bool
  private var generator: SplitMix64
  /// The last delivered loss that reported the failure of all named sources.
  private var announced: SourceLoss?
  private var hadReceiver = false
  private var restartCount: UInt64 = 0
  private var lastRunNumber = 0

  /// Makes a supervisor without sources.
  ///
  /// - Parameters:
  ///   - restartsFailedSources: Whether a source supplied by the caller is restarted when it fails.
  ///   - seed: The seed for the jitter of the back-off delays.
  init(restartsFailedSources: Bool = false, seed: UInt64) {
    self.restartsFailedSources = restartsFailedSources
    generator = SplitMix64(seed: seed)
  }

  /// The time at which to send ``Event/tick`` if no other event occurs earlier.
  var deadline: MonotonicTime? {
    let deadlines = members.values.map(\.deadline) + [selector.deadline, obstacleDeadline]
    return deadlines.compactMap { $0 }.min()
  }

  var diagnosis: SourceDiagnosis {
    var diagnosis = SourceDiagnosis()
    diagnosis.hadReceiver = hadReceiver || members.values.contains(where: \.isReading)
    (diagnosis.restartCount, diagnosis.notices) = (restartCount, notices)
    diagnosis.messages = members.values.sorted { $0.name < $1.name }
      .flatMap { $0.run?.messages.all ?? [] }
    return diagnosis
  }

  mutating func handle(_ event: Event, at now: MonotonicTime) -> [Action] {
    if case .discovered(.found(let receiver), _) = event, !hasMember(for: receiver) {
      obstacle.withoutSourceSince = now
    }
    let actions =
      switch event {
      case .discovered(let event, let isConfigured):
        take(event, isConfiguredForGPSD: isConfigured, at: now)
      case .discoveryRestarted: handleDiscoveryRestart()
      case .replaced(let plans, let autodetects, let local):
        replace(plans, autodetects: autodetects, local: local, at: now)
      case .received(let run, let event): take(event, of: run, at: now)
      case .ended(let run, let failure): end(run, failure, at: now)
      case .tick: tick(now)
      }
    return actions + reportObstacle(at: now)
  }

  // MARK: Members

  /// Replaces the sources: starts new sources, stops removed sources and keeps unchanged sources.
  private mutating func replace(
    _ plans: [SourcePlan], autodetects: Bool, local: GPSDAddress?, at now: MonotonicTime
  ) -> [Action] {
    self.autodetects = autodetects
    announced = nil
    let dismissed = members.values.filter { !isWanted($0, among: plans) }
      .sorted { $0.name < $1.name }
    // The chosen source is removed last; otherwise another removed source might be chosen next.
    var actions = dismissed.filter { !isChosen($0) }.flatMap { dismiss($0, at: now) }
    actions += dismissed.filter(isChosen).flatMap { dismiss($0, at: now) }
    refusedCount = 0
    for plan in plans where members[plan.key] == nil {
      let member = SourceMember(name: plan.key, plan: plan, isNamed: true, phase: .ended)
      actions += add(member) + start(plan.key, at: now)
    }
    if let local {
      let plan = SourcePlan.gpsd(local)
      if autodetects, members[plan.key] == nil {
        actions += add(SourceMember(name: plan.key, plan: plan, isNamed: false, phase: .ended))
        actions += start(plan.key, at: now)
      }
      if gpsd.memberName == nil, members[plan.key] != nil {
        gpsd.memberName = plan.key
        gpsd.startedAt = now
      }
    }
    if !actions.isEmpty { obstacle = SourceObstacle(withoutSourceSince: now) }
    return actions + finishIfAllEnded()
  }

  private func isWanted(_ member: SourceMember, among plans: [SourcePlan]) -> Bool {
    if member.isNamed { return plans.contains(member.plan) }
    guard autodetects else { return false }
    guard let receiver = member.receiver else { return !plans.contains(member.plan) }
    return !plans.contains { $0.refers(to: receiver) }
  }

  private func isChosen(_ member: SourceMember) -> Bool {
    selector.chosen.map(member.keys.contains) ?? false
  }

  private mutating func dismiss(_ member: SourceMember, at now: MonotonicTime) -> [Action] {
    let loss = SourceLoss(
      .deactivated, receiver: member.fixName, detail: SourceGroup.removalDetail, at: now)
    var actions = stop(member.name) + lose(member.name, loss, at: now)
    members[member.name] = nil
    if member.name == gpsd.memberName { gpsd = LocalGPSDState() }
    if member.hasDelivered, case .serial = member.plan {
      actions.append(.deliver(.receiver(member.info(isActive: false))))
    }
    return actions
  }

  /// Adds a member without starting it; refuses the member if the group is full.
  mutating func add(_ member: SourceMember) -> [Action] {
    guard members.count < Self.memberLimit else {
      refusedCount &+= 1
      return [.deliver(.receiver(member.info(isActive: false)))]
    }
    members[member.name] = member
    return []
  }

  /// Starts a run of a member unless the member is running.
  mutating func start(_ name: String, at now: MonotonicTime) -> [Action] {
    guard let member = members[name], member.run == nil else { return [] }
    lastRunNumber &+= 1
    owners[lastRunNumber] = name
    members[name]?.phase = .running(SourceRun(number: lastRunNumber, startedAt: now))
    return [.start(run: lastRunNumber, member.plan)]
  }

  /// Stops the run of a member, if any.
  mutating func stop(_ name: String) -> [Action] {
    guard let run = members[name]?.run else { return [] }
    owners[run.number] = nil
    return [.stop(run: run.number)]
  }

  private mutating func tick(_ now: MonotonicTime) -> [Action] {
    tickedAt = now
    var actions: [Action] = []
    for name in members.keys.sorted() {
      guard let member = members[name], let deadline = member.deadline, deadline <= now else {
        continue
      }
      if member.problem != nil { restartCount &+= 1 }
      actions += start(name, at: now)
    }
    let chosen = members.values.first(where: isChosen)
    let loss = SourceLoss(
      .silent, receiver: chosen?.fixName,
      detail: "stopped sending fixes", at: now)
    return actions + convert(selector.tick(at: now), loss: loss)
  }

  // MARK: Runs

  private mutating func take(
    _ event: FixSourceEvent, of run: Int, at now: MonotonicTime
  ) -> [Action] {
    guard let name = owners[run], let member = members[name] else { return [] }
    if name == gpsd.memberName, gpsd.concernsUnplugged(event) { return [] }
    var actions: [Action] = []
    if name == gpsd.memberName, gpsd.take(event, at: now) { actions += decideAll(at: now) }
    switch event {
    case .fix(let fix):
      actions += markHealthy(member)
      updateRun(of: name) { $0.noteEpoch(hasPosition: fix.mode > .none, at: now) }
      let key = member.key(for: fix.source)
      // A gpsd has at most `capacity` receivers; the keys of lost receivers are removed.
      guard member.keys.contains(key) || member.keys.count < GPSDReceivers.capacity else {
        return actions
      }
      members[name]?.keys.insert(key)
      return actions + convert(selector.take(fix, from: key, at: now))
    case .sky(var sky):
      updateRun(of: name) { $0.note(sky, at: now) }
      // A newly chosen source's sky views are delivered only after the source's first fix.
      guard selector.isDelivering(member.key(for: sky.source)) else { return actions }
      sky.source = sky.source ?? member.fixName
      return actions + [.deliver(.sky(sky))]
    case .sentences(_, let source):
      guard selector.isDelivering(member.key(for: source)) else { return actions }
      return actions + [.deliver(event)]
    case .instruments(var reading):
      // Instruments and messages are delivered for every source.
      reading.source = reading.source ?? member.fixName
      return actions + [.deliver(.instruments(reading))]
    case .message(var message):
      message.source = message.source ?? member.fixName
      updateRun(of: name) { $0.messages.note(message) }
      return actions + [.deliver(.message(message))]
    case .connected:
      members[name]?.problem = nil
      announced = nil
      hadReceiver = hadReceiver || member.isNamed
      return actions + [.deliver(event)]
    case .receiver(var info):
      members[name]?.hasDelivered = true
      hadReceiver = true
      info.stableName = info.stableName ?? stableName(of: info.name)
      members[name]?.note(info)
      return actions + [.deliver(.receiver(info))]
    case .lost(let loss): return actions + take(loss, of: member, at: now)
    }
  }

  private mutating func updateRun(of name: String, _ update: (inout SourceRun) -> Void) {
    guard var run = members[name]?.run else { return }
    update(&run)
    members[name]?.phase = .running(run)
  }

  /// Marks a source as healthy; reports its receiver with the first fix of a run.
  private mutating func markHealthy(_ member: SourceMember) -> [Action] {
    members[member.name]?.problem = nil
    (announced, hadReceiver) = (nil, true)
    members[member.name]?.hasDelivered = true
    guard members[member.name]?.run?.hasDelivered == false else { return [] }
    updateRun(of: member.name) { $0.hasDelivered = true }
    guard case .serial = member.plan else { return [] }
    return [.deliver(.receiver(member.info(isActive: true)))]
  }

  /// Handles a loss reported by a running source, of one or all of its receivers.
  private mutating func take(
    _ loss: SourceLoss, of member: SourceMember, at now: MonotonicTime
  ) -> [Action] {
    if let receiver = loss.receiver {
      let key = member.key(for: receiver)
      members[member.name]?.keys.remove(key)
      if loss.reason == .deactivated { members[member.name]?.forget(receiver) }
      return convert(selector.lose(key, at: now), loss: loss)
    }
    let actions = lose(member.name, loss, at: now)
    guard loss.reason != .silent else { return actions }
    members[member.name]?.problem = "\(member.plan.name): \(loss.detail ?? loss.description)"
    return actions.isEmpty ? announce(loss.reason, of: member.name, at: now) : actions
  }

  /// Returns the stable name of a device, or `nil` if udev has not reported this devnode.
  private func stableName(of devnode: String) -> String? {
    members.values.first { $0.receiver?.device.hasName(devnode) == true }?.receiver?.name
  }

  private mutating func end(
    _ run: Int, _ failure: SourceFailure?, at now: MonotonicTime
  ) -> [Action] {
    guard let name = owners.removeValue(forKey: run), let member = members[name],
      let ended = member.run
    else { return [] }
    if failure?.isDuplicate == true {
      members[name]?.problem = nil
      members[name]?.phase = .backingOff(
        until: now.advanced(byNanoseconds: Self.duplicateNanoseconds))
      return []
    }
    if name == gpsd.memberName { gpsd.markDown() }
    members[name]?.problem = failure?.text
    let loss = SourceLoss(
      failure?.reason ?? .disconnected, receiver: member.fixName, detail: failure?.text,
      at: now)
    if case .other = member.plan, failure == nil || !restartsFailedSources {
      members[name]?.phase = .ended
      let actions = failure == nil ? [] : lose(name, loss, at: now)
      // The end of an input is not a loss, so the selector's actions are ignored. Another source
      // delivers from its next fix on.
      for key in members[name]?.keys ?? [] { _ = selector.lose(key, at: now) }
      members[name]?.keys = []
      return actions + finishIfAllEnded()
    }
    let runNanoseconds = now.nanoseconds &- ended.startedAt.nanoseconds
    if ended.hasDelivered, runNanoseconds >= Self.healthyNanoseconds {
      members[name]?.backOff.succeed()
    }
    backOff(name, hasNoSentences: failure?.reason == .silent, at: now)
    var actions = lose(name, loss, at: now)
    if actions.isEmpty {
      actions = announce(loss.reason, of: name, at: now)
    } else {
      announced = SourceLoss(loss.reason, detail: loss.detail)
    }
    return actions + (name == gpsd.memberName ? decideAll(at: now) : [])
  }

  private mutating func finishIfAllEnded() -> [Action] {
    guard !autodetects, !members.isEmpty,
      members.values.allSatisfy({ $0.phase == .ended })
    else { return [] }
    let failures = members.values.compactMap(\.problem).sorted()
    return [.finish(failures: failures + [refusal].compactMap { $0 })]
  }

  /// Schedules the next attempt of a member.
  mutating func backOff(_ name: String, hasNoSentences: Bool = false, at now: MonotonicTime) {
    guard var member = members[name] else { return }
    let nanoseconds =
      hasNoSentences
      ? member.noSentencesBackOff.next(using: &generator) : member.backOff.next(using: &generator)
    member.phase = .backingOff(until: now.advanced(byNanoseconds: nanoseconds))
    members[name] = member
  }

  // MARK: Selection

  /// Converts actions of the selector; delivers the loss if no source is left.
  mutating func convert(
    _ decided: [SourceSelector.Action], loss: SourceLoss? = nil
  ) -> [Action] {
    decided.compactMap { action in
      switch action {
      case .deliver(let fix): .deliver(.fix(fix))
      case .chosen: nil
      case .noneLeft: loss.map { .deliver(.lost($0)) }
      }
    }
  }

  /// Removes all receivers of a member from the selector.
  mutating func lose(_ name: String, _ loss: SourceLoss, at now: MonotonicTime) -> [Action] {
    let keys = members[name]?.keys.sorted() ?? []
    members[name]?.keys = []
    // The chosen receiver is removed last; otherwise the member's next receiver might be chosen.
    let ordered = keys.filter { $0 != selector.chosen } + keys.filter { $0 == selector.chosen }
    return ordered.flatMap { convert(selector.lose($0, at: now), loss: loss) }
  }

  /// Reports the failures of all sources once, if all have failed and discovery is disabled.
  private mutating func announce(
    _ reason: SourceLoss.Reason, of name: String, at now: MonotonicTime
  ) -> [Action] {
    guard !autodetects, selector.chosen == nil, members[name]?.isNamed == true else { return [] }
    let problems = members.values.filter { $0.phase != .ended || $0.problem != nil }
      .sorted { $0.name < $1.name }.map(\.problem)
    let texts = problems.compactMap { $0 }
    guard texts.count == problems.count else { return [] }
    var loss = SourceLoss(reason, detail: texts.joined(separator: "; "))
    guard loss != announced else { return [] }
    announced = loss
    loss.at = now
    return [.deliver(.lost(loss))]
  }
}
