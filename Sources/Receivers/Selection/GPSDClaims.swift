// SPDX-License-Identifier: Apache-2.0

import Positioning

/// The receivers that the gpsd of this host claims: those that it lists, and those in its
/// configuration.
struct GPSDClaims: Sendable {
  enum Answer: Equatable, Sendable {
    /// gpsd has not answered yet: it may be busy or absent.
    case unknown
    case up(since: MonotonicTime)
    case down
  }

  /// The maximum wait for the greeting, which gpsd delays while it detects a baud rate.
  private static let timeoutNanoseconds: Int64 = 3_000_000_000
  /// The time after the greeting within which gpsd lists its devices.
  private static let listNanoseconds: Int64 = 500_000_000
  /// The time after gpsd has disappeared during which no other source reads gpsd's receivers.
  ///
  /// Also the time within which gpsd is expected to reopen a replugged receiver.
  static let absenceNanoseconds: Int64 = 5_000_000_000
  /// The maximum number of devices stored; gpsd serves fewer.
  private static let maxDevices = 16

  /// The name of the member that reads this gpsd; `nil` if there is no such member.
  private(set) var memberName: String?
  private var startedAt = MonotonicTime(nanoseconds: 0)
  private(set) var answer = Answer.unknown
  /// The device paths that gpsd lists.
  private(set) var devices: Set<String> = []
  /// The paths of gpsd's devices that udev has reported as removed; gpsd does not report removals.
  private var unplugged: Set<String> = []
  /// The paths of replugged devices, with the time until which gpsd may reopen them.
  private var replugged: [String: MonotonicTime] = [:]
  /// The names of the members whose receivers gpsd's configuration claims.
  private var configured: Set<String> = []
  /// The receivers that gpsd has reported but udev has not, by gpsd's name.
  private var unnamedReceivers: [String: ReceiverInfo] = [:]

  /// Whether gpsd responds.
  var isUp: Bool { if case .up = answer { true } else { false } }

  /// Whether gpsd reads the receiver of a member, or is configured to read it.
  func claims(_ member: SourceMember) -> Bool {
    configured.contains(member.name) || member.receiver.map(lists) == true
  }

  /// Returns the time until which gpsd may still list a device; `nil` if there is no need to wait.
  func undecidedUntil(for device: UDevDevice, at now: MonotonicTime) -> MonotonicTime? {
    guard memberName != nil else { return nil }
    var until: MonotonicTime
    switch answer {
    case .down: return nil
    case .unknown: until = startedAt.advanced(byNanoseconds: Self.timeoutNanoseconds)
    case .up(let since): until = since.advanced(byNanoseconds: Self.listNanoseconds)
    }
    for (name, end) in replugged where device.hasName(name) { until = max(until, end) }
    return until > now ? until : nil
  }

  /// Whether an event of gpsd is a late event of a device that was unplugged.
  func concernsUnplugged(_ event: FixSourceEvent) -> Bool {
    let name =
      switch event {
      case .fix(let fix): fix.source
      case .sky(let sky): sky.source
      case .instruments(let reading): reading.source
      case .receiver(let receiver): receiver.name
      case .sentences, .connected, .message, .lost: nil as String?
      }
    return name.map(unplugged.contains) ?? false
  }

  private func lists(_ receiver: DiscoveredReceiver) -> Bool {
    isUp && devices.contains(where: receiver.device.hasName)
  }

  // MARK: The member

  /// Follows the gpsd that a member reads, unless the claims already follow a member.
  mutating func follow(_ name: String, at now: MonotonicTime) {
    if memberName == nil { (memberName, startedAt) = (name, now) }
  }

  /// Removes the claim on the receiver of a removed member, or all that gpsd has reported if the
  /// member read gpsd.
  mutating func forget(_ name: String) {
    let configured = configured.subtracting([name])
    if name == memberName { self = GPSDClaims() }
    self.configured = configured
  }

  // MARK: Events of gpsd

  /// Handles an event of gpsd; returns whether the claims may have changed.
  mutating func take(_ event: FixSourceEvent, at now: MonotonicTime) -> Bool {
    let before = (answer, devices, unplugged, replugged)
    switch event {
    case .connected:
      forgetDevices()
      answer = .up(since: now)
    case .receiver(let receiver): add(receiver.name)
    case .fix(let fix):
      // gpsd may reopen a device without announcing it, so a fix counts as an announcement.
      if let source = fix.source, replugged[source] != nil { add(source) }
    case .lost(let loss):
      switch loss.reason {
      case .deactivated:
        if let name = loss.receiver {
          devices.remove(name)
          unnamedReceivers[name] = nil
        }
      case .unreachable, .disconnected, .incompatible: markDown()
      case .silent: break
      }
    case .sky, .instruments, .sentences, .message: break
    }
    return before != (answer, devices, unplugged, replugged)
  }

  mutating func markDown() {
    forgetDevices()
    answer = .down
  }

  /// Stores a receiver without a stable name until udev reports the receiver.
  ///
  /// gpsd lists a receiver as inactive until a client watches it, and may do so before udev.
  mutating func note(_ info: ReceiverInfo) {
    let isKnown = unnamedReceivers.removeValue(forKey: info.name) != nil
    guard info.stableName == nil, isKnown || unnamedReceivers.count < GPSDReceivers.capacity else {
      return
    }
    unnamedReceivers[info.name] = info
  }

  private mutating func forgetDevices() { (devices, unplugged, replugged) = ([], [], [:]) }

  private mutating func add(_ name: String) {
    replugged[name] = nil
    if devices.count < Self.maxDevices { devices.insert(name) }
  }

  // MARK: Events of udev

  /// Sets whether gpsd's configuration claims the receiver of a member.
  mutating func note(_ name: String, isConfigured: Bool) {
    if isConfigured { configured.insert(name) } else { configured.remove(name) }
  }

  /// Removes and returns the stored information of a receiver, with the stable name from udev.
  ///
  /// Returns `nil` if gpsd does not list the receiver, or if nothing is stored for it.
  mutating func takeInfo(of receiver: DiscoveredReceiver) -> ReceiverInfo? {
    guard lists(receiver),
      let name = unnamedReceivers.keys.first(where: receiver.device.hasName),
      var info = unnamedReceivers.removeValue(forKey: name)
    else { return nil }
    info.stableName = receiver.name
    info.model = info.model ?? receiver.modelName
    return info
  }

  /// Handles a removed device; returns gpsd's paths for the device, or an empty set if unlisted.
  mutating func noteRemoval(of device: UDevDevice, among receivers: [String]) -> Set<String> {
    let names = devices.union(receivers).union(replugged.keys).filter(device.hasName)
    devices.subtract(names)
    for name in names {
      replugged[name] = nil
      if unplugged.count < Self.maxDevices { unplugged.insert(name) }
    }
    return names
  }

  /// Handles a present device: gpsd gets five seconds to reopen a replugged device.
  mutating func notePresence(of device: UDevDevice, at now: MonotonicTime) {
    let until = now.advanced(byNanoseconds: Self.absenceNanoseconds)
    for name in unplugged where device.hasName(name) {
      unplugged.remove(name)
      if replugged.count < Self.maxDevices { replugged[name] = until }
    }
  }

  /// Clears the unplugged devices, for use when the discovery no longer reports changes.
  mutating func forgetUnplugged() { (unplugged, replugged) = ([], [:]) }
}
