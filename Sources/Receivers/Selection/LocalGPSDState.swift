// SPDX-License-Identifier: Apache-2.0

import Positioning

/// What is known of the gpsd of this host.
struct LocalGPSDState: Equatable, Sendable {
  enum Answer: Equatable, Sendable {
    /// Nothing has been heard: it may be at work, or not there.
    case unknown
    case up(since: MonotonicTime)
    case down
  }

  /// How long to wait for its first word: while it looks for a receiver's speed it has none.
  static let patienceNanoseconds: Int64 = 3_000_000_000
  /// How soon after its greeting it has told which devices it has.
  static let listNanoseconds: Int64 = 500_000_000
  /// How long a gpsd that went may take to come back, until its receivers are read without it; and
  /// how long it may take to open a receiver again that was unplugged.
  static let absenceNanoseconds: Int64 = 5_000_000_000
  /// More than a gpsd takes.
  private static let maxDevices = 16

  /// The member that asks it; `nil` where none does.
  var memberName: String?
  var startedAt = MonotonicTime(nanoseconds: 0)
  private(set) var answer = Answer.unknown
  /// The devices that it lists, by its names.
  private(set) var devices: Set<String> = []
  /// Devices that it had and that are unplugged, by its names: it tells nobody that they are.
  private(set) var unplugged: Set<String> = []
  /// Until when those that are plugged in again are left to it.
  private var returned: [String: MonotonicTime] = [:]

  /// Whether it answers.
  var isUp: Bool { if case .up = answer { true } else { false } }

  /// Takes its words; true where they change who reads what.
  mutating func take(_ event: FixSourceEvent, at now: MonotonicTime) -> Bool {
    let before = self
    switch event {
    case .connected:
      forget()
      answer = .up(since: now)
    case .receiver(let receiver): list(receiver.name)
    case .fix(let fix):
      // It need not say of one that it has opened it again.
      if let source = fix.source, returned[source] != nil { list(source) }
    case .lost(let loss):
      switch loss.reason {
      case .deactivated: if let name = loss.receiver { devices.remove(name) }
      case .unreachable, .disconnected, .incompatible: goDown()
      case .silent: break
      }
    case .sky, .instruments: break
    }
    return self != before
  }

  mutating func goDown() {
    forget()
    answer = .down
  }

  private mutating func forget() { (devices, unplugged, returned) = ([], [], [:]) }

  private mutating func list(_ name: String) {
    returned[name] = nil
    if devices.count < Self.maxDevices { devices.insert(name) }
  }

  // MARK: What udev says

  /// A device is gone.
  ///
  /// Returns its names for the device; empty where it did not have it.
  mutating func unplug(_ device: UDevDevice, among receivers: [String]) -> Set<String> {
    let names = devices.union(receivers).union(returned.keys).filter(device.isCalled)
    devices.subtract(names)
    for name in names {
      returned[name] = nil
      if unplugged.count < Self.maxDevices { unplugged.insert(name) }
    }
    return names
  }

  /// A device is there.
  mutating func plug(_ device: UDevDevice, at now: MonotonicTime) {
    let until = now.advanced(byNanoseconds: Self.absenceNanoseconds)
    for name in unplugged where device.isCalled(name) {
      unplugged.remove(name)
      if returned.count < Self.maxDevices { returned[name] = until }
    }
  }

  /// Nobody tells any more of devices that come and go: what it says of them counts again.
  mutating func forgetUnplugged() { (unplugged, returned) = ([], [:]) }

  /// Whether it is the last word of a device that is unplugged, which was on its way meanwhile.
  func isAboutGone(_ event: FixSourceEvent) -> Bool {
    let name =
      switch event {
      case .fix(let fix): fix.source
      case .sky(let sky): sky.source
      case .instruments(let reading): reading.source
      case .receiver(let receiver): receiver.name
      case .connected, .lost: nil as String?
      }
    return name.map(unplugged.contains) ?? false
  }

  /// Until when to wait for word of whether it has a receiver; `nil` where all is known.
  func undecidedUntil(for device: UDevDevice? = nil, at now: MonotonicTime) -> MonotonicTime? {
    guard memberName != nil else { return nil }
    var until: MonotonicTime
    switch answer {
    case .down: return nil
    case .unknown: until = startedAt.advanced(byNanoseconds: Self.patienceNanoseconds)
    case .up(let since): until = since.advanced(byNanoseconds: Self.listNanoseconds)
    }
    for (name, end) in returned where device?.isCalled(name) == true { until = max(until, end) }
    return until > now ? until : nil
  }
}
