// SPDX-License-Identifier: Apache-2.0

import Positioning
internal import SystemSupport

/// The state of one source of a group.
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
  var receiver: DiscoveredReceiver?
  /// The stable name of the device of a named port that was unplugged; `nil` while it is plugged in.
  var unpluggedName: String?
  /// Whether gpsd's configuration claims the device.
  var isConfiguredForGPSD = false
  var phase: Phase
  /// The last failure, with its remedy; `nil` without a failure.
  var problem: String?
  /// Whether the source has delivered a fix or receiver since it was plugged in or requested.
  var hasDelivered = false
  /// The selector's keys of the source's receivers; gpsd may have several receivers.
  var keys: Set<String> = []

  /// Receivers that gpsd has reported but udev has not, by gpsd's name.
  private(set) var unnamedReceivers: [String: ReceiverInfo] = [:]

  /// The back-off after a failure; short at first, since a new port is often ready within moments.
  var backOff = BackOff(firstNanoseconds: 250_000_000, maxNanoseconds: 30_000_000_000)
  /// The back-off after a run without valid sentences.
  ///
  /// Replugging the device bypasses this back-off.
  var noSentencesBackOff = BackOff(
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
    // The port is silent until positioning is enabled in the modem; no event reports that.
    if receiver?.role == .modemPort {
      noSentencesBackOff = BackOff(
        firstNanoseconds: 15_000_000_000, maxNanoseconds: 30_000_000_000)
    }
  }

  var run: SourceRun? { if case .running(let run) = phase { run } else { nil } }

  /// The source name set in every fix; `nil` for gpsd, which has several receivers.
  var fixName: String? { plan.fixName }

  var requiresValidation: Bool {
    if case .serial(_, _, let requiresValidation, _) = plan { requiresValidation } else { false }
  }

  /// Returns the selector's key for a receiver of this source.
  func key(for receiver: String?) -> String {
    if case .gpsd = plan { "\(name) \(receiver ?? "")" } else { name }
  }

  /// The names of gpsd's receivers in the selector; empty for other sources.
  var receivers: [String] {
    guard case .gpsd = plan else { return [] }
    return keys.sorted().map { String($0.dropFirst(name.count + 1)) }
  }

  /// Stores a receiver without a stable name until udev reports the receiver.
  ///
  /// gpsd lists a receiver as inactive until a client watches it, and may do so before udev.
  mutating func note(_ info: ReceiverInfo) {
    guard info.stableName == nil else {
      unnamedReceivers[info.name] = nil
      return
    }
    // A gpsd has at most `capacity` receivers.
    if unnamedReceivers.count < GPSDReceivers.capacity || unnamedReceivers[info.name] != nil {
      unnamedReceivers[info.name] = info
    }
  }

  /// Removes the stored information of a receiver that gpsd has removed or closed.
  mutating func forget(_ receiver: String) { unnamedReceivers[receiver] = nil }

  /// Removes and returns the stored information of a receiver, with the stable name from udev.
  ///
  /// Returns `nil` if nothing is stored for the receiver.
  mutating func takeInfo(of receiver: DiscoveredReceiver) -> ReceiverInfo? {
    guard let name = unnamedReceivers.keys.first(where: receiver.device.hasName),
      var info = unnamedReceivers.removeValue(forKey: name)
    else { return nil }
    info.stableName = receiver.name
    if info.model == nil { info.model = receiver.modelName }
    return info
  }

  /// Whether a port is running without a problem and is known to be a receiver.
  var isReading: Bool {
    guard case .serial = plan, run != nil, problem == nil else { return false }
    return hasDelivered || !requiresValidation
  }

  /// Whether this is the member of a receiver with unchanged syspath, devnode and role.
  func has(_ receiver: DiscoveredReceiver) -> Bool {
    guard let current = self.receiver else { return false }
    return (current.device.syspath, current.devnode, current.role)
      == (receiver.device.syspath, receiver.devnode, receiver.role)
  }

  /// Returns the description of the receiver.
  func info(isActive: Bool) -> ReceiverInfo {
    var info = ReceiverInfo(name: fixName ?? plan.name, isActive: isActive)
    info.stableName = receiver?.name
    info.model = receiver?.modelName
    if case .serial(_, let baud?, _, _) = plan { info.baud = baud }
    return info
  }

  /// The time of the next decision or restart if no event occurs earlier.
  var deadline: MonotonicTime? {
    switch phase {
    case .undecided(let until), .backingOff(let until): until
    case .running, .reservedForGPSD, .ended: nil
    }
  }
}

/// One run of a source, from its start to its end.
struct SourceRun: Equatable, Sendable {
  /// The unique number, which distinguishes this run's events from late events of previous runs.
  var number: Int
  var startedAt: MonotonicTime
  /// Whether this run has delivered a fix.
  var hasDelivered = false
  /// The counters of the run; updated only until its first position.
  var counters = NMEACounters()
  /// The time of the first epoch, with or without a position.
  var firstEpochAt: MonotonicTime?
  /// The time of the last epoch, with or without a position.
  var lastEpochAt: MonotonicTime?
  /// The time of the last epoch with a position.
  var lastPositionAt: MonotonicTime?
  /// The last satellites since the last position.
  var sky: SkySummary?
  /// The receiver's statements about itself.
  var messages = ReceiverMessages()
}
