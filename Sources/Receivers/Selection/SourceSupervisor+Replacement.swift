// SPDX-License-Identifier: Apache-2.0

import Positioning

// Other sources are asked for, while those that are asked for as before go on.
extension SourceSupervisor {
  mutating func replace(
    _ plans: [SourcePlan], takesPluggedIn: Bool, local: GPSDAddress?, at now: MonotonicTime
  ) -> [Action] {
    self.takesPluggedIn = takesPluggedIn
    // What was said to be wrong with all of them was said of others.
    announced = nil
    var wanted: [SourcePlan] = []
    for plan in plans where !wanted.contains(where: { $0.key == plan.key }) {
      wanted.append(plan)
    }
    for plan in wanted { name(plan, among: wanted) }
    var actions = members.values.filter { $0.isNamed && !wanted.contains($0.plan) }
      .sorted { $0.name < $1.name }
      .flatMap { unname($0, among: wanted, local: local, at: now) }
    waiting = waiting.filter { isWanted($0, among: wanted) }
    let dismissed = members.values.filter { !isWanted($0, among: wanted) }
    let countBefore = members.count
    actions += dismiss(dismissed, for: wanted, at: now)
    forgetDevices(unless: takesPluggedIn || wanted.contains(where: \.isPort))
    while members.count < Self.memberLimit, !waiting.isEmpty { actions += admit(at: now) }
    if !dismissed.isEmpty { actions += retryOtherNames(at: now) }
    actions += start(wanted, local: local, at: now)
    actions += bindPresent(at: now) + restartFailed(at: now)
    if !dismissed.isEmpty || members.count != countBefore { forgetWhatWasTold(at: now) }
    return actions + finishWhereAllHaveEnded()
  }

  /// What was told of others is not told; that there was a receiver is true only of one that stays.
  private mutating func forgetWhatWasTold(at now: MonotonicTime) {
    (toldObstacle, quietSince) = (nil, now)
    hadReceiver =
      hadReceiver
      && members.values.contains { member in
        if member.hasBeenHeard { return true }
        // A server that was asked for counts, whatever it has.
        guard member.isNamed, case .gpsd = member.plan else { return false }
        return member.run != nil && member.problem == nil
      }
  }

  /// A port that is opened anew is the device that it was: nobody tells of it again where all that
  /// is looked for is the same.
  private mutating func bindPresent(at now: MonotonicTime) -> [Action] {
    members.keys.sorted().flatMap { name -> [Action] in
      guard let member = members[name], member.isNamed, member.receiver == nil,
        let receiver = present.found.first(where: member.plan.calls)
      else { return [] }
      return bind(name, to: receiver, at: now)
    }
  }

  /// What was handed in, failed and is asked for still is tried again: who has changed something may
  /// have mended it.
  private mutating func restartFailed(at now: MonotonicTime) -> [Action] {
    members.keys.sorted().flatMap { name -> [Action] in
      guard let member = members[name], case .other = member.plan, member.phase == .ended,
        member.problem != nil
      else { return [] }
      members[name]?.problem = nil
      return start(name, at: now)
    }
  }

  private func isWanted(_ member: SourceMember, among wanted: [SourcePlan]) -> Bool {
    if member.isNamed { return wanted.contains(member.plan) }
    guard takesPluggedIn else { return false }
    // One that is asked for by name otherwise than it is read is begun anew.
    guard let receiver = member.receiver else { return true }
    return !wanted.contains { $0.calls(receiver) }
  }

  // MARK: What stays open

  /// What was found by itself, or asked for by another name, and is asked for by this one now goes
  /// on, where it is read as asked for.
  private mutating func name(_ plan: SourcePlan, among wanted: [SourcePlan]) {
    let member = members.values.sorted { $0.name < $1.name }.first { member in
      if member.isNamed, wanted.contains(member.plan) { return false }
      guard plan.isPort else { return member.plan == plan }
      return member.receiver.map(plan.calls) == true && goesOn(member, as: plan)
    }
    guard let member, member.name == plan.name || members[plan.name] == nil,
      !waiting.contains(where: { $0.name == plan.name })
    else { return }
    change(member, to: plan, named: plan.name, isNamed: true)
  }

  /// What was asked for by name and would be found by itself now goes on.
  private mutating func unname(
    _ member: SourceMember, among wanted: [SourcePlan], local: GPSDAddress?, at now: MonotonicTime
  ) -> [Action] {
    guard takesPluggedIn else { return [] }
    if let local, member.plan == .gpsd(local) {
      change(member, to: member.plan, named: member.name, isNamed: false)
      return []
    }
    guard let receiver = member.receiver, receiver.isReadByItself,
      goesOn(member, as: .pluggedIn(receiver)), !wanted.contains(where: { $0.calls(receiver) }),
      receiver.name == member.name || members[receiver.name] == nil
    else { return [] }
    change(member, to: .pluggedIn(receiver), named: receiver.name, isNamed: false)
    // Naming it was consent to read what gpsd has as well.
    return decide(receiver.name, at: now)
  }

  /// Whether a port is read as a plan would read it, by whatever name.
  private func goesOn(_ member: SourceMember, as plan: SourcePlan) -> Bool {
    guard let run = member.run, case .serial(_, let baud, let needsProof) = member.plan,
      case .serial(_, let newBaud, let newNeedsProof) = plan
    else { return false }
    // Once heard, it is read like any other.
    return baud == newBaud && (needsProof == newNeedsProof || run.hasBeenHeard)
  }

  private mutating func change(
    _ member: SourceMember, to plan: SourcePlan, named name: String, isNamed: Bool
  ) {
    var changed = member
    changed.become(name, plan, isNamed: isNamed)
    members[member.name] = nil
    members[name] = changed
    if let run = member.run { owners[run.number] = name }
    guard name != member.name else { return }
    selector.rename(member.name, to: name)
    if deliveredKey == member.name { deliveredKey = name }
  }

  // MARK: What goes

  private mutating func dismiss(
    _ dismissed: [SourceMember], for wanted: [SourcePlan], at now: MonotonicTime
  ) -> [Action] {
    let ordered = dismissed.sorted { $0.name < $1.name }
    // The chosen one last, or another that goes as well would take over first.
    let isChosen = { [chosen = selector.chosen] (member: SourceMember) in
      chosen.map(member.keys.contains) ?? false
    }
    return (ordered.filter { !isChosen($0) } + ordered.filter(isChosen)).flatMap { member in
      let detail =
        wanted.contains { $0.key == member.plan.key }
        ? "it is opened anew with other settings" : "it is no longer one of the sources"
      let loss = SourceLoss(
        .deactivated, receiver: member.fixName, detail: detail, at: now)
      let actions = stop(member.name) + lose(member.name, loss, at: now)
      members[member.name] = nil
      if member.name == gpsd.memberName { gpsd = LocalGPSDState() }
      guard member.hasBeenHeard, member.plan.isPort else { return actions }
      return actions + [.deliver(.receiver(member.info(isActive: false)))]
    }
  }

  /// Forgets what was told of devices, where nobody tells of them any more.
  private mutating func forgetDevices(unless isTold: Bool) {
    guard !isTold else { return }
    (candidates, discoveryNotice, present) = ([:], nil, PresentReceivers())
    gpsd.forgetUnplugged()
  }

  /// What was read under another name, and waits to be looked at again, may be its own now.
  private mutating func retryOtherNames(at now: MonotonicTime) -> [Action] {
    members.keys.sorted().flatMap { name -> [Action] in
      guard let member = members[name], member.isNamed, member.problem == nil,
        case .backingOff = member.phase
      else { return [] }
      return start(name, at: now)
    }
  }
}

extension DiscoveredReceiver {
  /// Whether it is read also where nobody has named it.
  fileprivate var isReadByItself: Bool { role == .receiver || role == .modemPort }
}

extension SourcePlan {
  /// Whether it is a port.
  fileprivate var isPort: Bool { if case .serial = self { true } else { false } }
}
