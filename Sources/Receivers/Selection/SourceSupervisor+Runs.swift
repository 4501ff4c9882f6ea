// SPDX-License-Identifier: Apache-2.0

import Positioning
internal import SystemSupport

// What runs say, and how they end.
extension SourceSupervisor {
  mutating func take(
    _ event: FixSourceEvent, of run: Int, at now: MonotonicTime
  ) -> [Action] {
    guard let name = owners[run], let member = members[name] else { return [] }
    if name == gpsd.memberName, gpsd.isAboutGone(event) { return [] }
    var actions: [Action] = []
    if name == gpsd.memberName, gpsd.take(event, at: now) { actions += decideAll(at: now) }
    switch event {
    case .fix(let fix):
      actions += hear(member, at: now)
      let key = member.key(for: fix.source)
      // gpsd takes no more receivers than that; names that were lost have been taken out.
      guard member.keys.contains(key) || member.keys.count < GPSDReceivers.capacity else {
        return actions
      }
      members[name]?.keys.insert(key)
      if key == selector.chosen { chosenHeardAt = now }
      return actions + choose(selector.take(fix, from: key, at: now), at: now)
    case .sky(var sky):
      // One that has just taken over has its sky told after its first fix.
      let key = member.key(for: sky.source)
      guard key == selector.chosen, key == deliveredKey else { return actions }
      sky.source = sky.source ?? member.fixName
      return actions + [.deliver(.sky(sky))]
    case .instruments(var reading):
      // Instruments may be on another wire than the receiver that is chosen.
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

  /// A source that says something is well.
  private mutating func hear(_ member: SourceMember, at now: MonotonicTime) -> [Action] {
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

  /// What a source that goes on by itself says of a loss: one of its receivers, or all.
  private mutating func take(
    _ loss: SourceLoss, of member: SourceMember, at now: MonotonicTime
  ) -> [Action] {
    if let receiver = loss.receiver {
      let key = member.key(for: receiver)
      members[member.name]?.keys.remove(key)
      return choose(selector.lose(key, at: now), loss: loss, at: now)
    }
    let actions = lose(member.name, loss, at: now)
    guard loss.reason != .silent else { return actions }
    members[member.name]?.problem = "\(member.plan.name): \(loss.detail ?? loss.description)"
    return actions.isEmpty ? announce(loss.reason, of: member.name, at: now) : actions
  }

  /// The name that a device keeps, where udev knows it by what gpsd calls it.
  private func stableName(of devnode: String) -> String? {
    members.values.first { $0.receiver?.device.isCalled(devnode) == true }?.receiver?.name
  }

  // MARK: The end

  mutating func end(_ run: Int, _ failure: SourceFailure?, at now: MonotonicTime) -> [Action] {
    guard let name = owners.removeValue(forKey: run), let member = members[name],
      let ended = member.run
    else { return [] }
    if failure?.kind == .duplicate {
      // No fault of its own: it is looked at again, since the other may go.
      members[name]?.problem = nil
      members[name]?.phase = .backingOff(
        until: now.advanced(byNanoseconds: Self.duplicateNanoseconds))
      return []
    }
    if name == gpsd.memberName { gpsd.goDown() }
    let loss = SourceLoss(
      failure?.lossReason ?? .disconnected, receiver: member.fixName,
      detail: failure?.text, at: now)
    members[name]?.problem = failure?.text
    guard case .other = member.plan else {
      let ran = now.nanoseconds &- ended.startedAt.nanoseconds
      if ended.hasBeenHeard, ran >= Self.healthyNanoseconds { members[name]?.backOff.succeed() }
      backOff(name, isUnproven: failure?.kind == .unproven, at: now)
      var actions = lose(name, loss, at: now)
      if actions.isEmpty { actions = announce(loss.reason, of: name, at: now) }
      return actions + (name == gpsd.memberName ? decideAll(at: now) : [])
    }
    members[name]?.phase = .ended
    let actions = failure == nil ? [] : lose(name, loss, at: now)
    if failure == nil { forget(name, at: now) }
    return actions + finishWhereAllHaveEnded()
  }

  /// The end of all, where every source has come to its own and none can come.
  func finishWhereAllHaveEnded() -> [Action] {
    guard !takesPluggedIn, !members.isEmpty,
      members.values.allSatisfy({ $0.phase == .ended })
    else { return [] }
    let failures = members.values.compactMap(\.problem).sorted()
    return [.finish(failures: failures + waiting.map(Self.overLimit))]
  }

  /// Sets the time of the next attempt.
  mutating func backOff(_ name: String, isUnproven: Bool = false, at now: MonotonicTime) {
    guard var member = members[name] else { return }
    let nanoseconds =
      isUnproven
      ? member.unprovenBackOff.next(using: &generator) : member.backOff.next(using: &generator)
    member.phase = .backingOff(until: now.advanced(byNanoseconds: nanoseconds))
    members[name] = member
  }

  /// Does what is due.
  mutating func tick(_ now: MonotonicTime) -> [Action] {
    tickedAt = now
    var actions: [Action] = []
    for name in members.keys.sorted() {
      guard let deadline = members[name]?.deadline, deadline <= now else { continue }
      actions += start(name, at: now)
    }
    return actions + tickSelection(now)
  }
}
