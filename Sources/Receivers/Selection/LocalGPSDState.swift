// SPDX-License-Identifier: Apache-2.0

import Positioning

/// The state of this host's gpsd: whether gpsd responds, and which devices it lists.
struct LocalGPSDState: Equatable, Sendable {
  enum Answer: Equatable, Sendable {
    /// gpsd has not answered yet: it may be busy or absent.
    case unknown
    case up(since: MonotonicTime)
    case down
  }

  /// The maximum wait for the greeting, which gpsd delays while it detects a baud rate.
  static let timeoutNanoseconds: Int64 = 3_000_000_000
  /// The time after the greeting within which gpsd lists its devices.
  static let listNanoseconds: Int64 = 500_000_000
  /// The time after gpsd has disappeared during which no other source reads gpsd's receivers.
  ///
  /// Also the time within which gpsd is expected to reopen a replugged receiver.
  static let absenceNanoseconds: Int64 = 5_000_000_000
  /// The maximum number of devices stored; gpsd serves fewer.
  private static let maxDevices = 16

  /// The name of the member that reads this gpsd; `nil` if there is no such member.
  var memberName: String?
  var startedAt = MonotonicTime(nanoseconds: 0)
  private(set) var answer = Answer.unknown
  /// The device paths that gpsd lists.
  private(set) var devices: Set<String> = []
  /// The paths of gpsd's devices that udev has reported as removed; gpsd does not report removals.
  private(set) var unplugged: Set<String> = []
  /// The paths of replugged devices, with the time until which gpsd may reopen them.
  private var replugged: [String: MonotonicTime] = [:]

  /// Whether gpsd responds.
  var isUp: Bool { if case .up = answer { true } else { false } }

  /// Handles an event of gpsd; returns whether the state changed.
  mutating func take(_ event: FixSourceEvent, at now: MonotonicTime) -> Bool {
    let before = self
    switch event {
    case .connected:
      forget()
      answer = .up(since: now)
    case .receiver(let receiver): add(receiver.name)
    case .fix(let fix):
      // gpsd may reopen a device without announcing it, so a fix counts as an announcement.
      if let source = fix.source, replugged[source] != nil { add(source) }
    case .lost(let loss):
      switch loss.reason {
      case .deactivated: if let name = loss.receiver { devices.remove(name) }
      case .unreachable, .disconnected, .incompatible: markDown()
      case .silent: break
      }
    case .sky, .instruments, .sentences, .message: break
    }
    return self != before
  }

  mutating func markDown() {
    forget()
    answer = .down
  }

  private mutating func forget() { (devices, unplugged, replugged) = ([], [], [:]) }

  private mutating func add(_ name: String) {
    replugged[name] = nil
    if devices.count < Self.maxDevices { devices.insert(name) }
  }

  // MARK: Events of udev

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

  /// Whether an event is a late event of a device that was unplugged.
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

  /// Returns the time until which gpsd may still list a device; `nil` if there is no need to wait.
  func undecidedUntil(for device: UDevDevice? = nil, at now: MonotonicTime) -> MonotonicTime? {
    guard memberName != nil else { return nil }
    var until: MonotonicTime
    switch answer {
    case .down: return nil
    case .unknown: until = startedAt.advanced(byNanoseconds: Self.timeoutNanoseconds)
    case .up(let since): until = since.advanced(byNanoseconds: Self.listNanoseconds)
    }
    for (name, end) in replugged where device?.hasName(name) == true { until = max(until, end) }
    return until > now ? until : nil
  }
}
