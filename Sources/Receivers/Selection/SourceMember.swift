// SPDX-License-Identifier: Apache-2.0

import Positioning
internal import SystemSupport

/// One source of a group: what it reads and where it stands.
struct SourceMember: Sendable {
  /// Where it stands.
  enum Phase: Equatable, Sendable {
    /// It is not known yet whether gpsd claims it. Next: *running*, *leftToGPSD*.
    case undecided(until: MonotonicTime)
    /// Next: *backingOff* when it fails, *ended* where it never starts again, *leftToGPSD*.
    case running(SourceRun)
    /// Next: *running* by then.
    case backingOff(until: MonotonicTime)
    /// gpsd reads it or is to read it. Next: *undecided* when gpsd no longer does.
    case leftToGPSD
    /// It has come to its end.
    case ended
  }

  /// The name by which the group knows it: a receiver's stable one.
  let name: String
  let plan: SourcePlan
  /// Whether somebody asked for it: then what is wrong with it is told.
  let isNamed: Bool
  /// The device that it is, where udev knows one.
  var receiver: DiscoveredReceiver?
  /// Whether gpsd's configuration names it.
  var isConfiguredForGPSD = false
  var phase: Phase
  /// What is wrong with it; `nil` while nothing is known to be.
  var problem: String?
  /// Whether anything has come from it since it was plugged in or named.
  var hasBeenHeard = false
  /// The names under which the selector knows its receivers; gpsd has several.
  var keys: Set<String> = []

  /// What has been told of its receivers before udev knew them.
  private(set) var unnamed: [String: ReceiverInfo] = [:]

  /// After a failure: soon, since a port is often ready a moment after it appears.
  var backOff = BackOff(firstNanoseconds: 250_000_000, maxNanoseconds: 30_000_000_000)
  /// After a port that sent no valid sentences: rarely, and a plug pulled and put back is sooner.
  var notYetHealthyBackOff = BackOff(
    firstNanoseconds: 60_000_000_000, maxNanoseconds: 900_000_000_000)

  init(
    name: String, plan: SourcePlan, isNamed: Bool, receiver: DiscoveredReceiver? = nil,
    phase: Phase
  ) {
    self.name = name
    self.plan = plan
    self.isNamed = isNamed
    self.receiver = receiver
    self.phase = phase
    // It is silent until the modem's positioning is switched on, which nothing tells of.
    if receiver?.role == .modemPort {
      notYetHealthyBackOff = BackOff(
        firstNanoseconds: 15_000_000_000, maxNanoseconds: 30_000_000_000)
    }
  }

  var run: SourceRun? { if case .running(let run) = phase { run } else { nil } }

  /// The name under which its fixes travel, where there is only one.
  var fixName: String? { plan.fixName }

  var requiresValidation: Bool {
    if case .serial(_, _, let requiresValidation) = plan { requiresValidation } else { false }
  }

  /// The selector's name for a receiver of it.
  func key(for receiver: String?) -> String {
    if case .gpsd = plan { "\(name) \(receiver ?? "")" } else { name }
  }

  /// Its receivers, by the names under which the selector knows them.
  var receivers: [String] {
    guard case .gpsd = plan else { return [] }
    return keys.sorted().map { String($0.dropFirst(name.count + 1)) }
  }

  /// Keeps what is told of a receiver that udev does not know yet.
  mutating func note(_ info: ReceiverInfo) {
    guard info.isActive, info.stableName == nil else {
      unnamed[info.name] = nil
      return
    }
    // gpsd takes no more receivers than that.
    if unnamed.count < GPSDReceivers.capacity || unnamed[info.name] != nil {
      unnamed[info.name] = info
    }
  }

  /// What is to be told anew of a receiver that udev knows now.
  mutating func named(by receiver: DiscoveredReceiver) -> ReceiverInfo? {
    guard let name = unnamed.keys.first(where: receiver.device.isCalled) else { return nil }
    guard var info = unnamed.removeValue(forKey: name) else { return nil }
    info.stableName = receiver.name
    if info.model == nil { info.model = receiver.modelName }
    return info
  }

  /// Whether a receiver is being read, as far as anybody knows.
  var isReading: Bool {
    guard case .serial = plan, run != nil, problem == nil else { return false }
    return hasBeenHeard || !requiresValidation
  }

  /// Whether it is the member of a receiver that is still plugged in as before.
  func has(_ receiver: DiscoveredReceiver) -> Bool {
    guard let own = self.receiver else { return false }
    return (own.device.syspath, own.devnode, own.role)
      == (receiver.device.syspath, receiver.devnode, receiver.role)
  }

  /// The description of its receiver.
  func info(isActive: Bool) -> ReceiverInfo {
    var info = ReceiverInfo(name: fixName ?? plan.name, isActive: isActive)
    info.stableName = receiver?.name
    info.model = receiver?.modelName
    if case .serial(_, let baud?, _) = plan { info.baud = baud }
    return info
  }

  /// When something is to be done about it if nothing happens before.
  var deadline: MonotonicTime? {
    switch phase {
    case .undecided(let until), .backingOff(let until): until
    case .running, .leftToGPSD, .ended: nil
    }
  }
}

/// One run of a source, from its start to its end.
struct SourceRun: Equatable, Sendable {
  /// Told apart from the runs before it, whose last words may still be on their way.
  var number: Int
  var startedAt: MonotonicTime
  /// Whether anything has come from it, unlike from those before it.
  var hasBeenHeard = false
  /// What it has read, for as long as nothing has come of it.
  var read = NMEACounters()
}
