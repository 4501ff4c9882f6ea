// SPDX-License-Identifier: Apache-2.0

import Positioning

/// The sources of a group, ordered by name; the numbers of their runs; and the chosen source.
struct SourceMembers: Sequence, Sendable {
  /// The maximum number of sources; equal to the selector's limit.
  static let limit = 16

  private var byName: [String: SourceMember] = [:]
  private(set) var selector = SourceSelector()
  /// The number of sources refused because of ``limit``.
  private(set) var refusedCount: UInt64 = 0
  /// The number of the newest run.
  private(set) var lastRun: Int

  init(lastRun: Int) { self.lastRun = lastRun }

  func makeIterator() -> IndexingIterator<[SourceMember]> {
    byName.values.sorted { $0.name < $1.name }.makeIterator()
  }

  subscript(name: String) -> SourceMember? {
    get { byName[name] }
    _modify { yield &byName[name] }
  }

  /// The time of the next decision about a source if no event occurs earlier.
  var deadline: MonotonicTime? { byName.values.lazy.compactMap(\.deadline).min() }

  /// Returns the source of a run; `nil` if the run was stopped or has ended.
  func member(of run: Int) -> SourceMember? {
    byName.values.first { $0.run?.number == run }
  }

  /// Returns the discovered member of a device, or `nil` if there is no such member.
  func discovered(_ receiver: DiscoveredReceiver) -> SourceMember? {
    first { !$0.isNamed && $0.receiver?.device.syspath == receiver.device.syspath }
  }

  /// Returns the stable name of a device, or `nil` if udev has not reported this devnode.
  func stableName(of devnode: String) -> String? {
    first { $0.receiver?.device.hasName(devnode) == true }?.receiver?.name
  }

  /// The notice about refused sources.
  var refusal: String? {
    guard refusedCount > 0 else { return nil }
    return "\(refusedCount) more sources are not read; the limit is \(Self.limit);"
      + " unplug devices, or specify the sources to read"
  }

  /// The failures of the sources, if all have ended permanently; `nil` otherwise.
  var finalFailures: [String]? {
    guard !byName.isEmpty, allSatisfy({ $0.phase == .ended }) else { return nil }
    return compactMap(\.problem).sorted() + [refusal].compactMap { $0 }
  }

  /// The open ports that have delivered no position.
  var portsWithoutPosition: [SourceRun] {
    byName.values.compactMap { member in
      guard member.plan.isPort, member.problem == nil, let run = member.run else { return nil }
      return run.hasHadPosition ? nil : run
    }
  }

  /// Adds a member without starting it; refuses the member if there are ``limit`` members.
  mutating func add(_ member: SourceMember) -> [SourceAction] {
    guard byName.count < Self.limit else {
      refusedCount &+= 1
      return [.deliver(.receiver(member.info(isActive: false)))]
    }
    byName[member.name] = member
    return []
  }

  mutating func clearRefusals() { refusedCount = 0 }

  /// Starts a run of a member unless the member is running.
  mutating func start(_ name: String, at now: MonotonicTime) -> [SourceAction] {
    guard let member = byName[name], member.run == nil else { return [] }
    lastRun &+= 1
    let run = SourceRun(number: lastRun, startedAt: now)
    byName[name]?.enter(.running(run), problem: member.problem)
    return [.start(run: lastRun, member.plan)]
  }

  /// Stops the run of a member, if any; the caller removes the member or changes its phase.
  mutating func stop(
    _ member: SourceMember, _ loss: SourceLoss, at now: MonotonicTime
  ) -> [SourceAction] {
    (member.run.map { [.stop(run: $0.number)] } ?? []) + lose(member, loss, at: now)
  }

  // MARK: Selection

  var hasChosen: Bool { selector.chosen != nil }

  func isChosen(_ member: SourceMember) -> Bool { selector.chosen.map(member.owns) ?? false }

  /// Whether a member's receiver is chosen and its fixes have been delivered.
  func isDelivering(_ receiver: String?, _ member: SourceMember) -> Bool {
    selector.isDelivering(member.key(for: receiver))
  }

  /// Returns the selector's keys of a member's receivers.
  func keys(of member: SourceMember) -> [String] { selector.names.filter(member.owns).sorted() }

  mutating func take(
    _ fix: Fix, of member: SourceMember, at now: MonotonicTime
  ) -> [SourceAction] {
    let key = member.key(for: fix.source)
    // A gpsd has at most `capacity` receivers; lost receivers are removed.
    guard selector.names.contains(key) || keys(of: member).count < GPSDReceivers.capacity else {
      return []
    }
    return convert(selector.take(fix, from: key, at: now))
  }

  /// Removes a receiver of a member.
  mutating func lose(
    _ receiver: String, of member: SourceMember, _ loss: SourceLoss, at now: MonotonicTime
  ) -> [SourceAction] {
    convert(selector.lose(member.key(for: receiver), at: now), loss)
  }

  /// Removes all receivers of a member.
  mutating func lose(
    _ member: SourceMember, _ loss: SourceLoss, at now: MonotonicTime
  ) -> [SourceAction] {
    let keys = keys(of: member)
    // The chosen receiver is removed last; otherwise the member's next receiver might be chosen.
    let ordered = keys.filter { $0 != selector.chosen } + keys.filter { $0 == selector.chosen }
    return ordered.flatMap { convert(selector.lose($0, at: now), loss) }
  }

  /// Replaces a silent source, or removes it if there is no other source.
  mutating func tick(_ now: MonotonicTime) -> [SourceAction] {
    let receiver = first(where: isChosen)?.fixName
    let loss = SourceLoss(.silent, receiver: receiver, detail: "stopped sending fixes", at: now)
    return convert(selector.tick(at: now), loss)
  }

  /// Converts actions of the selector; delivers the loss if no source is left.
  private func convert(
    _ decided: [SourceSelector.Action], _ loss: SourceLoss? = nil
  ) -> [SourceAction] {
    decided.compactMap { action in
      switch action {
      case .deliver(let fix): .deliver(.fix(fix))
      case .chosen: nil
      case .noneLeft: loss.map { .deliver(.lost($0)) }
      }
    }
  }
}

/// An action that ``SourceSupervisor`` has decided, for ``SourceGroup`` to execute in order.
enum SourceAction: Equatable, Sendable {
  case start(run: Int, SourcePlan)
  /// Stop a run; its later events are ignored.
  case stop(run: Int)
  case deliver(FixSourceEvent)
  /// Restart the discovery, since receivers that were refused can now be added.
  case restartDiscovery
  /// All sources have ended permanently. Carries their failures.
  case finish(failures: [String])
}
