// SPDX-License-Identifier: Apache-2.0

import Positioning
internal import SystemSupport

/// Decides which sources of a group run, and which of their events are delivered.
///
/// A plain value without clock, thread or port: a shell starts and stops the runs, and reports their
/// events and their ends. A receiver that is plugged in is read at once unless gpsd claims it. One
/// that fails is retried with back-off. Only the events of the source that ``SourceSelector`` has
/// chosen are delivered.
struct SourceSupervisor: Sendable {
  enum Event: Equatable, Sendable {
    case discovered(DiscoveryEvent, isConfiguredForGPSD: Bool)
    case said(run: Int, FixSourceEvent)
    /// Discovery starts over: all devices are reported again.
    case looksAgain
    /// A run has ended: with a failure, or at the end of its input.
    case ended(run: Int, SourceFailure?)
    /// The sources of the group, first or in place of others; `local` is the gpsd of this host.
    case replaced([SourcePlan], autodetects: Bool, local: GPSDAddress?)
    /// The time is ``SourceSupervisor/deadline``, or any other.
    case tick
  }

  /// An action for the shell; actions are carried out in order.
  enum Action: Equatable, Sendable {
    case start(run: Int, SourcePlan)
    /// Ends a run; its later events are ignored.
    case stop(run: Int)
    case deliver(FixSourceEvent)
    /// Restarts discovery: there is room for receivers that were refused.
    case lookAgain
    /// All sources have ended and none is restarted; the reasons of those that failed.
    case finish(failures: [String])
  }

  /// The most sources of a group, more than any board has ports for; also the selector's limit.
  static let memberLimit = 16
  /// How long an open port may deliver no fix before that is reported.
  static let silenceNanoseconds = GPSDSession.Options().silenceNanoseconds
  /// A run of this length was healthy: the back-off of its failure starts from the beginning.
  static let healthyNanoseconds: Int64 = 10_000_000_000
  /// The time after which a port that is open under another name is tried again.
  static let duplicateNanoseconds: Int64 = 5_000_000_000

  /// Whether receivers that are plugged in join by themselves.
  private(set) var autodetects = false
  var members: [String: SourceMember] = [:]
  var selector = SourceSelector()
  /// The member of each run.
  private(set) var owners: [Int: String] = [:]
  var gpsd = LocalGPSDState()
  /// The devices that discovery has reported.
  var present = PresentReceivers()
  /// Converters that nobody has consented to, by name.
  var candidates: [String: DiscoveredReceiver] = [:]
  var discoveryNotice: String?
  var obstacle = SourceObstacle()
  private(set) var tickedAt = MonotonicTime(nanoseconds: .min)
  /// Sources that were refused because the group has ``memberLimit`` members.
  var refusedCount: UInt64 = 0
  private let restartsFailedSources: Bool
  private var generator: SplitMix64
  /// The last reported failure of all named sources together.
  private var announced: SourceLoss?
  private var hadReceiver = false
  private var restartCount: UInt64 = 0
  private var lastRun = 0

  /// Makes a supervisor without sources.
  ///
  /// - Parameters:
  ///   - restartsFailedSources: Whether a source that was handed in is restarted when it fails.
  ///   - seed: The seed of the random part of delays.
  init(restartsFailedSources: Bool = false, seed: UInt64) {
    self.restartsFailedSources = restartsFailedSources
    generator = SplitMix64(seed: seed)
  }

  /// The time of the next ``Event/tick`` if no other event comes before.
  var deadline: MonotonicTime? {
    (members.values.map(\.deadline) + [selector.deadline, obstacleDeadline]).compactMap { $0 }
      .min()
  }

  var situation: SourceSituation {
    var situation = SourceSituation()
    situation.hadReceiver = hadReceiver || members.values.contains(where: \.isReading)
    situation.restartCount = restartCount
    situation.notices = notices
    return situation
  }

  mutating func handle(_ event: Event, at now: MonotonicTime) -> [Action] {
    if case .discovered(.found(let receiver), _) = event, !knows(receiver) {
      obstacle.quietSince = now
    }
    let actions =
      switch event {
      case .discovered(let event, let isConfigured):
        take(event, isConfiguredForGPSD: isConfigured, at: now)
      case .looksAgain: lookAgain()
      case .replaced(let plans, let autodetects, let local):
        replace(plans, autodetects: autodetects, local: local, at: now)
      case .said(let run, let event): take(event, of: run, at: now)
      case .ended(let run, let failure): end(run, failure, at: now)
      case .tick: tick(now)
      }
    return actions + tellObstacle(at: now)
  }

  // MARK: Members

  /// Replaces the sources: unchanged ones keep running, all others are stopped, new ones started.
  private mutating func replace(
    _ plans: [SourcePlan], autodetects: Bool, local: GPSDAddress?, at now: MonotonicTime
  ) -> [Action] {
    self.autodetects = autodetects
    announced = nil
    let dismissed = members.values.filter { !isWanted($0, among: plans) }
      .sorted { $0.name < $1.name }
    // The chosen one last: the next one chosen would otherwise be one that is dismissed too.
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
    if !actions.isEmpty { obstacle = SourceObstacle(quietSince: now) }
    return actions + finishWhereAllHaveEnded()
  }

  private func isWanted(_ member: SourceMember, among plans: [SourcePlan]) -> Bool {
    if member.isNamed { return plans.contains(member.plan) }
    guard autodetects else { return false }
    guard let receiver = member.receiver else { return !plans.contains(member.plan) }
    return !plans.contains { $0.calls(receiver) }
  }

  private func isChosen(_ member: SourceMember) -> Bool {
    selector.chosen.map(member.keys.contains) ?? false
  }

  private mutating func dismiss(_ member: SourceMember, at now: MonotonicTime) -> [Action] {
    let loss = SourceLoss(
      .deactivated, receiver: member.fixName, detail: SourceGroup.dismissal, at: now)
    var actions = stop(member.name) + lose(member.name, loss, at: now)
    members[member.name] = nil
    if member.name == gpsd.memberName { gpsd = LocalGPSDState() }
    if member.hasBeenHeard, case .serial = member.plan {
      actions.append(.deliver(.receiver(member.info(isActive: false))))
    }
    return actions
  }

  /// Adds a member without starting it; refuses it where there is no room.
  mutating func add(_ member: SourceMember) -> [Action] {
    guard members.count < Self.memberLimit else {
      refusedCount &+= 1
      return [.deliver(.receiver(member.info(isActive: false)))]
    }
    members[member.name] = member
    return []
  }

  /// Starts a run of a member that has none.
  mutating func start(_ name: String, at now: MonotonicTime) -> [Action] {
    guard let member = members[name], member.run == nil else { return [] }
    lastRun &+= 1
    owners[lastRun] = name
    members[name]?.phase = .running(SourceRun(number: lastRun, startedAt: now))
    return [.start(run: lastRun, member.plan)]
  }

  /// Stops the run of a member, if it has one.
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
      detail: "no fix for \(Double(selector.policy.lossNanoseconds) / 1e9) s", at: now)
    return actions + choose(selector.tick(at: now), loss: loss)
  }

  // MARK: Runs

  private mutating func take(
    _ event: FixSourceEvent, of run: Int, at now: MonotonicTime
  ) -> [Action] {
    guard let name = owners[run], let member = members[name] else { return [] }
    if name == gpsd.memberName, gpsd.isAboutGone(event) { return [] }
    var actions: [Action] = []
    if name == gpsd.memberName, gpsd.take(event, at: now) { actions += decideAll(at: now) }
    switch event {
    case .fix(let fix):
      actions += hear(member)
      let key = member.key(for: fix.source)
      // gpsd has no more receivers than that; the names of lost ones are gone from the set.
      guard member.keys.contains(key) || member.keys.count < GPSDReceivers.capacity else {
        return actions
      }
      members[name]?.keys.insert(key)
      return actions + choose(selector.take(fix, from: key, at: now))
    case .sky(var sky):
      // The sky of a source that has just taken over follows its first fix.
      let key = member.key(for: sky.source)
      guard key == selector.chosen, key == selector.delivered else { return actions }
      sky.source = sky.source ?? member.fixName
      return actions + [.deliver(.sky(sky))]
    case .instruments(var reading):
      // Instruments may be on another wire than the chosen receiver.
      reading.source = reading.source ?? member.fixName
      return actions + [.deliver(.instruments(reading))]
    case .connected:
      members[name]?.problem = nil
      announced = nil
      hadReceiver = hadReceiver || member.isNamed
      return actions + [.deliver(event)]
    case .receiver(var info):
      members[name]?.hasBeenHeard = true
      hadReceiver = true
      info.stableName = info.stableName ?? stableName(of: info.name)
      members[name]?.note(info)
      return actions + [.deliver(.receiver(info))]
    case .lost(let loss): return actions + take(loss, of: member, at: now)
    }
  }

  /// Marks a source as healthy; reports its receiver with the first fix of a run.
  private mutating func hear(_ member: SourceMember) -> [Action] {
    members[member.name]?.problem = nil
    announced = nil
    hadReceiver = true
    members[member.name]?.hasBeenHeard = true
    guard var run = members[member.name]?.run, !run.hasBeenHeard else { return [] }
    run.hasBeenHeard = true
    members[member.name]?.phase = .running(run)
    guard case .serial = member.plan else { return [] }
    return [.deliver(.receiver(member.info(isActive: true)))]
  }

  /// Takes a loss that a running source reports: of one of its receivers, or of all.
  private mutating func take(
    _ loss: SourceLoss, of member: SourceMember, at now: MonotonicTime
  ) -> [Action] {
    if let receiver = loss.receiver {
      let key = member.key(for: receiver)
      members[member.name]?.keys.remove(key)
      return choose(selector.lose(key, at: now), loss: loss)
    }
    let actions = lose(member.name, loss, at: now)
    guard loss.reason != .silent else { return actions }
    members[member.name]?.problem = "\(member.plan.name): \(loss.detail ?? loss.description)"
    return actions.isEmpty ? announce(loss.reason, of: member.name, at: now) : actions
  }

  /// The stable name of a device, where udev knows the name that gpsd uses.
  private func stableName(of devnode: String) -> String? {
    members.values.first { $0.receiver?.device.isCalled(devnode) == true }?.receiver?.name
  }

  private mutating func end(
    _ run: Int, _ failure: SourceFailure?, at now: MonotonicTime
  ) -> [Action] {
    guard let name = owners.removeValue(forKey: run), let member = members[name],
      let ended = member.run
    else { return [] }
    if failure?.kind == .duplicate {
      members[name]?.problem = nil
      members[name]?.phase = .backingOff(
        until: now.advanced(byNanoseconds: Self.duplicateNanoseconds))
      return []
    }
    if name == gpsd.memberName { gpsd.goDown() }
    members[name]?.problem = failure?.text
    let loss = SourceLoss(
      failure?.lossReason ?? .disconnected, receiver: member.fixName, detail: failure?.text,
      at: now)
    if case .other = member.plan, failure == nil || !restartsFailedSources {
      members[name]?.phase = .ended
      let actions = failure == nil ? [] : lose(name, loss, at: now)
      // At the end of an input nothing is lost, and another source may take over.
      for key in members[name]?.keys ?? [] { _ = selector.lose(key, at: now) }
      members[name]?.keys = []
      return actions + finishWhereAllHaveEnded()
    }
    let ran = now.nanoseconds &- ended.startedAt.nanoseconds
    if ended.hasBeenHeard, ran >= Self.healthyNanoseconds { members[name]?.backOff.succeed() }
    backOff(name, isNotYetHealthy: failure?.kind == .notYetHealthy, at: now)
    var actions = lose(name, loss, at: now)
    if actions.isEmpty {
      actions = announce(loss.reason, of: name, at: now)
    } else {
      announced = SourceLoss(loss.reason, detail: loss.detail)
    }
    return actions + (name == gpsd.memberName ? decideAll(at: now) : [])
  }

  private mutating func finishWhereAllHaveEnded() -> [Action] {
    guard !autodetects, !members.isEmpty,
      members.values.allSatisfy({ $0.phase == .ended })
    else { return [] }
    let failures = members.values.compactMap(\.problem).sorted()
    return [.finish(failures: failures + [refusal].compactMap { $0 })]
  }

  /// Sets the time of the next attempt.
  mutating func backOff(_ name: String, isNotYetHealthy: Bool = false, at now: MonotonicTime) {
    guard var member = members[name] else { return }
    let nanoseconds =
      isNotYetHealthy
      ? member.notYetHealthyBackOff.next(using: &generator) : member.backOff.next(using: &generator)
    member.phase = .backingOff(until: now.advanced(byNanoseconds: nanoseconds))
    members[name] = member
  }

  // MARK: Selection

  /// The actions for a decision of the selector; a loss is reported where no source is left.
  mutating func choose(
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

  /// Takes all receivers of a member from the selector.
  mutating func lose(_ name: String, _ loss: SourceLoss, at now: MonotonicTime) -> [Action] {
    let keys = members[name]?.keys.sorted() ?? []
    members[name]?.keys = []
    // The chosen one last: another of the same member would otherwise follow it.
    let ordered = keys.filter { $0 != selector.chosen } + keys.filter { $0 == selector.chosen }
    return ordered.flatMap { choose(selector.lose($0, at: now), loss: loss) }
  }

  /// Reports the failures of all named sources once, where nothing else can deliver a fix.
  private mutating func announce(
    _ reason: SourceLoss.Reason, of name: String, at now: MonotonicTime
  ) -> [Action] {
    guard !autodetects, selector.chosen == nil, members[name]?.isNamed == true else {
      return []
    }
    let problems = members.values.filter { $0.phase != .ended || $0.problem != nil }
      .sorted { $0.name < $1.name }.map(\.problem)
    let told = problems.compactMap { $0 }
    guard told.count == problems.count else { return [] }
    var loss = SourceLoss(reason, detail: told.joined(separator: "; "))
    guard loss != announced else { return [] }
    announced = loss
    loss.at = now
    return [.deliver(.lost(loss))]
  }
}
