// SPDX-License-Identifier: Apache-2.0

import Positioning

/// Decides which sources of a group run, and which of their events are delivered.
///
/// A supervisor has no clock, thread or port: ``SourceGroup`` starts and stops the runs, and reports
/// their events and ends. A receiver that is plugged in is read at once unless gpsd claims the
/// receiver. A source that fails is restarted with back-off. Only fixes and sky views of the source
/// that ``SourceSelector`` has chosen are delivered.
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

  private(set) var members: SourceMembers
  private(set) var claims = GPSDClaims()
  private(set) var present = PresentReceivers()
  private var notices = SourceNotices()
  private var restarts: SourceRestarts
  /// Whether discovered receivers are added automatically.
  private var autodetects = false
  private var hadReceiver = false
  private let restartsFailedSources: Bool

  /// Makes a supervisor without sources.
  ///
  /// - Parameters:
  ///   - restartsFailedSources: Whether a source supplied by the caller is restarted when it fails.
  ///   - seed: The seed for the jitter of the back-off delays.
  ///   - lastRun: The number of the last run of the group's previous supervisor.
  init(restartsFailedSources: Bool = false, seed: UInt64, lastRun: Int = 0) {
    self.restartsFailedSources = restartsFailedSources
    members = SourceMembers(lastRun: lastRun)
    restarts = SourceRestarts(seed: seed)
  }

  /// The time at which to send ``Event/tick`` if no other event occurs earlier.
  var deadline: MonotonicTime? {
    [
      members.selector.deadline, members.deadline,
      notices.deadline(members, claims, autodetects: autodetects),
    ].compactMap { $0 }.min()
  }

  /// Returns the status, with the reasons for missing fixes.
  func diagnosis(at now: MonotonicTime) -> SourceDiagnosis {
    var diagnosis = notices.diagnosis(
      members, claims, present, autodetects: autodetects, at: now)
    diagnosis.hadReceiver = diagnosis.hadReceiver || hadReceiver
    diagnosis.restartCount = restarts.count
    return diagnosis
  }

  /// Stores the current counters of a run of ``SourceMembers/portsWithoutPosition``.
  mutating func note(_ counters: NMEACounters, of run: Int) {
    guard let name = members.member(of: run)?.name else { return }
    members[name]?.updateRun { $0.note(counters) }
  }

  mutating func handle(_ event: Event, at now: MonotonicTime) -> [SourceAction] {
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
    guard !members.hasChosen else {
      notices.noteChosen()
      return actions
    }
    return actions + notices.report(members, claims, autodetects: autodetects, at: now)
  }

  // MARK: Members

  /// Replaces the sources: starts new sources, stops removed sources and keeps unchanged sources.
  private mutating func replace(
    _ plans: [SourcePlan], autodetects: Bool, local: GPSDAddress?, at now: MonotonicTime
  ) -> [SourceAction] {
    self.autodetects = autodetects
    members.clearRefusals()
    notices.forgetAnnounced()
    let removed = members.filter { !$0.isWanted(among: plans, autodetects: autodetects) }
    // The chosen source is removed last; otherwise another removed source might be chosen next.
    let ordered = removed.filter { !members.isChosen($0) } + removed.filter(members.isChosen)
    var actions = ordered.flatMap { remove($0, detail: SourceGroup.removalDetail, at: now) }
    for plan in plans where members[plan.key] == nil {
      actions += members.add(SourceMember(plan, isNamed: true))
      actions += members.start(plan.key, at: now)
    }
    if let plan = local.map(SourcePlan.gpsd) {
      if autodetects, members[plan.key] == nil {
        actions += members.add(SourceMember(plan, isNamed: false))
        actions += members.start(plan.key, at: now)
      }
      if members[plan.key] != nil { claims.follow(plan.key, at: now) }
    }
    if !actions.isEmpty { notices.noteNewSources(at: now) }
    return actions + finishIfAllEnded()
  }

  /// Stops and removes a member.
  private mutating func remove(
    _ member: SourceMember, detail: String? = nil, at now: MonotonicTime
  ) -> [SourceAction] {
    let loss = SourceLoss(.deactivated, receiver: member.fixName, detail: detail, at: now)
    var actions = members.stop(member, loss, at: now)
    members[member.name] = nil
    claims.forget(member.name)
    restarts.forget(member.name)
    if members.refusedCount > 0 { actions.append(.restartDiscovery) }
    if member.hasDelivered, member.plan.isPort {
      actions.append(.deliver(.receiver(member.info(isActive: false))))
    }
    return actions
  }

  private mutating func tick(_ now: MonotonicTime) -> [SourceAction] {
    notices.tick(now)
    var actions: [SourceAction] = []
    for member in members where member.deadline.map({ $0 <= now }) == true {
      if member.problem != nil { restarts.noteRestart() }
      actions += members.start(member.name, at: now)
    }
    return actions + members.tick(now)
  }

  private func finishIfAllEnded() -> [SourceAction] {
    guard !autodetects, let failures = members.finalFailures else { return [] }
    return [.finish(failures: failures)]
  }

  // MARK: Runs

  private mutating func take(
    _ event: FixSourceEvent, of run: Int, at now: MonotonicTime
  ) -> [SourceAction] {
    guard let member = members.member(of: run) else { return [] }
    let (name, isLocalGPSD) = (member.name, member.name == claims.memberName)
    if isLocalGPSD, claims.concernsUnplugged(event) { return [] }
    var actions: [SourceAction] = []
    if isLocalGPSD, claims.take(event, at: now) { actions += decideAll(at: now) }
    switch event {
    case .fix(let fix):
      hadReceiver = true
      notices.forgetAnnounced()
      if member.run?.hasDelivered == false, member.plan.isPort {
        actions.append(.deliver(.receiver(member.info(isActive: true))))
      }
      members[name]?.noteEpoch(hasPosition: fix.mode > .none, at: now)
      return actions + members.take(fix, of: member, at: now)
    case .sky(var sky):
      members[name]?.updateRun { $0.note(sky, at: now) }
      // A newly chosen source's sky views are delivered only after the source's first fix.
      guard members.isDelivering(sky.source, member) else { return actions }
      sky.source = sky.source ?? member.fixName
      return actions + [.deliver(.sky(sky))]
    case .sentences(_, let source):
      return members.isDelivering(source, member) ? actions + [.deliver(event)] : actions
    case .instruments(var reading):
      // Instruments and messages are delivered for every source.
      reading.source = reading.source ?? member.fixName
      return actions + [.deliver(.instruments(reading))]
    case .message(var message):
      message.source = message.source ?? member.fixName
      members[name]?.updateRun { $0.note(message) }
      return actions + [.deliver(.message(message))]
    case .connected:
      members[name]?.report(nil)
      notices.forgetAnnounced()
      hadReceiver = hadReceiver || member.isNamed
      return actions + [.deliver(event)]
    case .receiver(var info):
      members[name]?.noteDelivery()
      hadReceiver = true
      info.stableName = info.stableName ?? members.stableName(of: info.name)
      if isLocalGPSD { claims.note(info) }
      return actions + [.deliver(.receiver(info))]
    case .lost(let loss): return actions + take(loss, of: member, at: now)
    }
  }

  /// Handles a loss reported by a running source, of one or all of its receivers.
  private mutating func take(
    _ loss: SourceLoss, of member: SourceMember, at now: MonotonicTime
  ) -> [SourceAction] {
    if let receiver = loss.receiver {
      return members.lose(receiver, of: member, loss, at: now)
    }
    let actions = members.lose(member, loss, at: now)
    guard loss.reason != .silent else { return actions }
    members[member.name]?.report("\(member.plan.name): \(loss.detail ?? loss.description)")
    return actions.isEmpty ? announce(loss.reason, of: member, at: now) : actions
  }

  private mutating func end(
    _ run: Int, _ failure: SourceFailure?, at now: MonotonicTime
  ) -> [SourceAction] {
    guard let member = members.member(of: run) else { return [] }
    let loss = SourceLoss(
      failure?.reason ?? .disconnected, receiver: member.fixName, detail: failure?.text,
      at: now)
    if case .other = member.plan, failure == nil || !restartsFailedSources {
      members[member.name]?.enter(.ended, problem: failure?.text)
      let actions = members.lose(member, loss, at: now)
      // The end of an input is not a loss. Another source delivers from its next fix on.
      return (failure == nil ? [] : actions) + finishIfAllEnded()
    }
    let until = restarts.next(for: member, after: member.run, failure, at: now)
    guard failure?.isDuplicate != true else {
      members[member.name]?.enter(.backingOff(until: until))
      return []
    }
    members[member.name]?.enter(.backingOff(until: until), problem: failure?.text)
    let isLocalGPSD = member.name == claims.memberName
    if isLocalGPSD { claims.markDown() }
    var actions = members.lose(member, loss, at: now)
    if actions.isEmpty {
      actions = announce(loss.reason, of: member, at: now)
    } else {
      notices.noteDelivered(loss)
    }
    return actions + (isLocalGPSD ? decideAll(at: now) : [])
  }

  /// Reports the failures of all sources once, if all have failed and discovery is disabled.
  private mutating func announce(
    _ reason: SourceLoss.Reason, of member: SourceMember, at now: MonotonicTime
  ) -> [SourceAction] {
    guard !autodetects, !members.hasChosen, member.isNamed else { return [] }
    let relevant = members.filter { $0.phase != .ended || $0.problem != nil }
    return notices.announce(reason, of: relevant, at: now)
  }

  // MARK: Discovery

  private mutating func take(
    _ event: DiscoveryEvent, isConfiguredForGPSD: Bool, at now: MonotonicTime
  ) -> [SourceAction] {
    let removals = present.take(event).flatMap { handleRemoval(of: $0, at: now) }
    if case .gone(let receiver) = event { return removals + handleRemoval(of: receiver, at: now) }
    if let receiver = event.receiver { claims.notePresence(of: receiver.device, at: now) }
    switch event {
    case .found(let receiver):
      return removals + plug(receiver, isConfiguredForGPSD: isConfiguredForGPSD, at: now)
    case .candidate(let receiver), .ignored(let receiver, _):
      // The device is still present but must not be used.
      return removals + (members.discovered(receiver).map { remove($0, at: now) } ?? [])
    case .unavailable: claims.forgetUnplugged()
    case .settled, .gone: break
    }
    return removals
  }

  /// Prepares for new reports of all devices; clears the devices if no discovery is needed.
  private mutating func handleDiscoveryRestart() -> [SourceAction] {
    present.restart()
    members.clearRefusals()
    if !autodetects, !members.contains(where: { $0.plan.isPort }) {
      present = PresentReceivers()
      claims.forgetUnplugged()
    }
    return []
  }

  /// Adds or updates the member of a receiver and starts the member without back-off.
  private mutating func plug(
    _ receiver: DiscoveredReceiver, isConfiguredForGPSD: Bool, at now: MonotonicTime
  ) -> [SourceAction] {
    let known = members.first { $0.has(receiver) }
    if known == nil { notices.noteNewReceiver(at: now) }
    let named = members.filter { $0.isNamed && $0.plan.refers(to: receiver) }
    guard named.isEmpty else { return named.flatMap { bind($0, to: receiver, at: now) } }
    guard autodetects else { return [] }
    if let known {
      // After a restart of the discovery, only gpsd's configuration may have changed.
      claims.note(known.name, isConfigured: isConfiguredForGPSD)
      return decide(known.name, at: now)
    }
    var actions = members[receiver.name].map { remove($0, at: now) } ?? []
    actions += members.add(SourceMember(receiver))
    if members[receiver.name] != nil {
      claims.note(receiver.name, isConfigured: isConfiguredForGPSD)
    }
    actions += decide(receiver.name, at: now)
    // Report a receiver of gpsd again, with the stable name from udev.
    let info = claims.takeInfo(of: receiver)
    return actions + (info.map { [.deliver(.receiver($0))] } ?? [])
  }

  /// Assigns a device to a named port and starts the port without back-off.
  private mutating func bind(
    _ member: SourceMember, to receiver: DiscoveredReceiver, at now: MonotonicTime
  ) -> [SourceAction] {
    guard !member.has(receiver) else { return [] }
    members[member.name]?.plug(receiver)
    restarts.succeed(member.name)
    guard member.run != nil else { return members.start(member.name, at: now) }
    return members[member.name].map { [.deliver(.receiver($0.info(isActive: true)))] } ?? []
  }

  private mutating func handleRemoval(
    of receiver: DiscoveredReceiver, at now: MonotonicTime
  ) -> [SourceAction] {
    let bound = members.filter {
      $0.isNamed && $0.receiver?.device.syspath == receiver.device.syspath
    }
    let actions = reportRemovalFromGPSD(receiver, at: now)
    guard bound.isEmpty else { return actions + bound.flatMap { stopUnplugged($0, at: now) } }
    return actions + (members.discovered(receiver).map { remove($0, at: now) } ?? [])
  }

  /// Stops a named port that was unplugged, and schedules retries with back-off.
  private mutating func stopUnplugged(
    _ member: SourceMember, at now: MonotonicTime
  ) -> [SourceAction] {
    let until = restarts.next(for: member, after: nil, nil, at: now)
    members[member.name]?.unplug(until: until)
    let loss = SourceLoss(.deactivated, receiver: member.fixName, at: now)
    return members.stop(member, loss, at: now)
      + [.deliver(.receiver(member.info(isActive: false)))]
  }

  // MARK: gpsd

  /// Reports the loss of an unplugged receiver of gpsd, since gpsd does not report the loss.
  private mutating func reportRemovalFromGPSD(
    _ receiver: DiscoveredReceiver, at now: MonotonicTime
  ) -> [SourceAction] {
    guard let member = claims.memberName.flatMap({ members[$0] }) else { return [] }
    let prefix = member.name.utf8.count + 1
    let receivers = members.keys(of: member).map { String(Substring($0.utf8.dropFirst(prefix))) }
    let names = claims.noteRemoval(of: receiver.device, among: receivers)
    return names.sorted().flatMap { name -> [SourceAction] in
      var info = ReceiverInfo(name: name, isActive: false)
      (info.stableName, info.model) = (receiver.name, receiver.modelName)
      let loss = SourceLoss(.deactivated, receiver: name, at: now)
      return members.lose(name, of: member, loss, at: now) + [.deliver(.receiver(info))]
    }
  }

  /// Decides again which discovered receivers only gpsd may read; called after an event of gpsd.
  private mutating func decideAll(at now: MonotonicTime) -> [SourceAction] {
    members.filter { !$0.isNamed && $0.receiver != nil }
      .flatMap { decide($0.name, at: now) }
  }

  /// Starts a member unless gpsd claims its receiver; may wait until the state of gpsd is known.
  private mutating func decide(_ name: String, at now: MonotonicTime) -> [SourceAction] {
    guard let member = members[name], let receiver = member.receiver else { return [] }
    if claims.claims(member) {
      members[name]?.enter(.reservedForGPSD)
      let loss = SourceLoss(
        .deactivated, receiver: member.fixName, detail: "now read by gpsd", at: now)
      return members.stop(member, loss, at: now)
    }
    switch member.phase {
    case .ended, .undecided:
      guard let until = claims.undecidedUntil(for: receiver.device, at: now) else {
        return members.start(name, at: now)
      }
      members[name]?.enter(.undecided(until: until))
    case .reservedForGPSD:
      // gpsd may be restarting, so wait before reading the receiver directly.
      let until = now.advanced(byNanoseconds: GPSDClaims.absenceNanoseconds)
      members[name]?.enter(.backingOff(until: until))
    case .running, .backingOff: break
    }
    return []
  }
}
