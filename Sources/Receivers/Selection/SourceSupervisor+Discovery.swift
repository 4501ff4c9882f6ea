// SPDX-License-Identifier: Apache-2.0

import Positioning
internal import SystemSupport

/// Handling of discovery events and of receivers that gpsd claims.
extension SourceSupervisor {
  mutating func take(
    _ event: DiscoveryEvent, isConfiguredForGPSD: Bool, at now: MonotonicTime
  ) -> [Action] {
    let removals = present.take(event).flatMap { handleRemoval(of: $0, at: now) }
    if case .gone(let receiver) = event { return removals + handleRemoval(of: receiver, at: now) }
    return removals + apply(event, isConfiguredForGPSD: isConfiguredForGPSD, at: now)
  }

  /// Prepares for new reports of all devices; clears the devices if no discovery is needed.
  mutating func handleDiscoveryRestart() -> [Action] {
    present.restart()
    (candidates, refusedCount) = ([:], 0)
    if !autodetects, members.values.allSatisfy({ !$0.plan.isPort }) {
      (discoveryNotice, present) = (nil, PresentReceivers())
      gpsd.forgetUnplugged()
    }
    return []
  }

  private mutating func handleRemoval(
    of receiver: DiscoveredReceiver, at now: MonotonicTime
  ) -> [Action] {
    candidates[receiver.name] = nil
    return reportRemovalFromGPSD(receiver, at: now) + unplug(receiver, at: now)
  }

  private mutating func apply(
    _ event: DiscoveryEvent, isConfiguredForGPSD: Bool, at now: MonotonicTime
  ) -> [Action] {
    if let receiver = event.receiver { gpsd.notePresence(of: receiver.device, at: now) }
    switch event {
    case .found(let receiver):
      candidates[receiver.name] = nil
      return plug(receiver, isConfiguredForGPSD: isConfiguredForGPSD, at: now)
    case .candidate(let receiver):
      if candidates.count < Self.memberLimit { candidates[receiver.name] = receiver }
      return removeUnused(receiver, at: now)
    case .ignored(let receiver, _):
      candidates[receiver.name] = nil
      return removeUnused(receiver, at: now)
    case .unavailable(let reason):
      discoveryNotice = "\(reason)"
      gpsd.forgetUnplugged()
      return []
    case .settled:
      discoveryNotice = nil
      return []
    case .gone: return []
    }
  }

  /// Whether the group has a member for the receiver.
  func hasMember(for receiver: DiscoveredReceiver) -> Bool {
    members.values.contains { $0.has(receiver) }
  }

  /// Adds or updates the member of a receiver and starts the member without back-off.
  private mutating func plug(
    _ receiver: DiscoveredReceiver, isConfiguredForGPSD: Bool, at now: MonotonicTime
  ) -> [Action] {
    let named = members.values.filter { $0.isNamed && $0.plan.refers(to: receiver) }
    if !named.isEmpty { return named.flatMap { bind($0.name, to: receiver, at: now) } }
    guard autodetects else { return [] }
    // After a restart of the discovery, only gpsd's configuration may have changed.
    if let name = members.values.first(where: { $0.has(receiver) })?.name {
      members[name]?.isConfiguredForGPSD = isConfiguredForGPSD
      return decide(name, at: now)
    }
    var actions = remove(receiver.name, at: now)
    var member = SourceMember(
      name: receiver.name, plan: .pluggedIn(receiver), isNamed: false, receiver: receiver,
      phase: .ended)
    member.isConfiguredForGPSD = isConfiguredForGPSD
    actions += add(member)
    return actions + decide(receiver.name, at: now) + reportStableName(receiver)
  }

  /// Reports a receiver of gpsd again, with the stable name from udev.
  private mutating func reportStableName(_ receiver: DiscoveredReceiver) -> [Action] {
    guard gpsd.isUp, gpsd.devices.contains(where: receiver.device.hasName),
      let gpsdName = gpsd.memberName, let info = members[gpsdName]?.takeInfo(of: receiver)
    else { return [] }
    return [.deliver(.receiver(info))]
  }

  /// Assigns a device to a named port and starts the port without back-off.
  private mutating func bind(
    _ name: String, to receiver: DiscoveredReceiver, at now: MonotonicTime
  ) -> [Action] {
    if members[name]?.has(receiver) == true { return [] }
    members[name]?.receiver = receiver
    members[name]?.unpluggedName = nil
    members[name]?.backOff.succeed()
    guard let member = members[name], member.run == nil else {
      return members[name].map { [.deliver(.receiver($0.info(isActive: true)))] } ?? []
    }
    members[name]?.problem = nil
    return start(name, at: now)
  }

  private mutating func unplug(_ receiver: DiscoveredReceiver, at now: MonotonicTime) -> [Action] {
    let bound = members.values.filter {
      $0.isNamed && $0.receiver?.device.syspath == receiver.device.syspath
    }
    guard bound.isEmpty else { return bound.flatMap { stopUnplugged($0.name, at: now) } }
    return discoveredMember(for: receiver).map { remove($0, at: now) } ?? []
  }

  /// Returns the name of the discovered member of a device, or `nil` if there is no such member.
  private func discoveredMember(for receiver: DiscoveredReceiver) -> String? {
    members.values.first {
      !$0.isNamed && $0.receiver?.device.syspath == receiver.device.syspath
    }?.name
  }

  /// Removes the member of a device that is still present but must not be used.
  private mutating func removeUnused(
    _ receiver: DiscoveredReceiver, at now: MonotonicTime
  ) -> [Action] {
    discoveredMember(for: receiver).map { remove($0, at: now) } ?? []
  }

  /// Stops a named port that was unplugged, and schedules retries with back-off.
  private mutating func stopUnplugged(_ name: String, at now: MonotonicTime) -> [Action] {
    var actions = stop(name)
    let info = members[name]?.info(isActive: false)
    let fixName = members[name]?.fixName ?? name
    let receiverName = members[name]?.receiver?.name
    members[name]?.unpluggedName = receiverName
    members[name]?.receiver = nil
    members[name]?.hasDelivered = false
    members[name]?.problem = "\(name): unplugged; plug it in again"
    backOff(name, at: now)
    actions += lose(name, SourceLoss(.deactivated, receiver: fixName, at: now), at: now)
    return actions + (info.map { [.deliver(.receiver($0))] } ?? [])
  }

  private mutating func remove(_ name: String, at now: MonotonicTime) -> [Action] {
    guard let member = members[name], !member.isNamed, member.receiver != nil else { return [] }
    var actions = stop(name)
    let loss = SourceLoss(.deactivated, receiver: member.fixName, at: now)
    actions += lose(name, loss, at: now)
    members[name] = nil
    if refusedCount > 0 { actions.append(.restartDiscovery) }
    return actions
      + (member.hasDelivered ? [.deliver(.receiver(member.info(isActive: false)))] : [])
  }

  // MARK: gpsd

  /// Reports the loss of an unplugged receiver of gpsd, since gpsd does not report the loss.
  private mutating func reportRemovalFromGPSD(
    _ receiver: DiscoveredReceiver, at now: MonotonicTime
  ) -> [Action] {
    guard let name = gpsd.memberName, let member = members[name] else { return [] }
    let names = gpsd.noteRemoval(of: receiver.device, among: member.receivers)
    return names.sorted().flatMap { gpsdName -> [Action] in
      let key = member.key(for: gpsdName)
      members[name]?.keys.remove(key)
      let loss = SourceLoss(.deactivated, receiver: gpsdName, at: now)
      var info = ReceiverInfo(name: gpsdName, isActive: false)
      info.stableName = receiver.name
      info.model = receiver.modelName
      return convert(selector.lose(key, at: now), loss: loss)
        + [.deliver(.receiver(info))]
    }
  }

  /// Whether gpsd reads the receiver, or is configured to read it.
  private func isClaimed(_ member: SourceMember) -> Bool {
    guard let receiver = member.receiver else { return false }
    return member.isConfiguredForGPSD
      || (gpsd.isUp && gpsd.devices.contains(where: receiver.device.hasName))
  }

  /// Decides again which discovered receivers only gpsd may read; called after an event of gpsd.
  mutating func decideAll(at now: MonotonicTime) -> [Action] {
    members.values.filter { !$0.isNamed && $0.receiver != nil }.map(\.name).sorted()
      .flatMap { decide($0, at: now) }
  }

  /// Starts a member unless gpsd claims its receiver; may wait until the state of gpsd is known.
  mutating func decide(_ name: String, at now: MonotonicTime) -> [Action] {
    guard let member = members[name] else { return [] }
    if isClaimed(member) {
      let actions = stop(name)
      members[name]?.phase = .reservedForGPSD
      members[name]?.problem = nil
      let loss = SourceLoss(
        .deactivated, receiver: member.fixName, detail: "now read by gpsd", at: now)
      return actions + lose(name, loss, at: now)
    }
    switch member.phase {
    case .ended, .undecided:
      if let until = gpsd.undecidedUntil(for: member.receiver?.device, at: now) {
        members[name]?.phase = .undecided(until: until)
        return []
      }
      return start(name, at: now)
    case .reservedForGPSD:
      // gpsd may be restarting, so wait before reading the receiver directly.
      members[name]?.phase = .backingOff(
        until: now.advanced(byNanoseconds: LocalGPSDState.absenceNanoseconds))
      return []
    case .running, .backingOff: return []
    }
  }
}
