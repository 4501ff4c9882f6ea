// SPDX-License-Identifier: Apache-2.0

/// The state machine of the discovery: device changes in, classified devices out.
///
/// Uses no libudev, threads or files. Opens no devnode, since opening can reset a device.
public struct DiscoveryMachine: Sendable {
  /// A change of the devices.
  public enum Input: Equatable, Sendable {
    /// The complete list of devices; devices missing from it were removed.
    case enumerated([UDevDevice])
    /// A device was added or changed.
    case present(UDevDevice)
    /// A device was removed.
    case absent(syspath: String)
  }

  /// The policy for using devices.
  public let policy: DiscoveryPolicy
  private let waitsForRules: Bool
  /// The last event of each device, by syspath.
  private var lastEvents: [String: DiscoveryEvent] = [:]
  private var names: StableNames
  /// The syspath of the used port of each receiver, by the syspath of its USB device.
  private var portInUse: [String: String]
  private var isSettled = false

  /// Makes a machine without devices.
  ///
  /// - Parameters:
  ///   - policy: The policy for using devices.
  ///   - waitsForRules: Whether to ignore a device until the udev rules have run. The rules set the
  ///     device's links, group and ModemManager properties. Pass false if udevd is not running.
  public init(policy: DiscoveryPolicy, waitsForRules: Bool) {
    self.policy = policy
    names = StableNames(previous: policy.names)
    portInUse = policy.portsInUse
    self.waitsForRules = waitsForRules
  }

  /// Handles a change of the devices and returns the resulting events, in order.
  ///
  /// Returns no events if no classification changed.
  public mutating func handle(_ input: Input) -> [DiscoveryEvent] {
    switch input {
    case .enumerated(let devices):
      let present = Set(devices.map(\.syspath))
      names.forget(allBut: present)
      var events = lastEvents.keys.filter { !present.contains($0) }.sorted().flatMap { remove($0) }
      // Ports of the previous discovery are added first; then the other ports, by interface number.
      let sorted = devices.sorted(by: Self.comesBefore)
      let used = Set(portInUse.values)
      for device in sorted where used.contains(device.syspath) { events += add(device) }
      for device in sorted where !used.contains(device.syspath) { events += add(device) }
      if !isSettled { events.append(.settled) }
      isSettled = true
      return events
    case .present(let device): return add(device)
    case .absent(let syspath): return remove(syspath)
    }
  }

  private static func comesBefore(_ left: UDevDevice, _ right: UDevDevice) -> Bool {
    // Compares the lengths first, so that ttyS2 precedes ttyS10.
    (left.usbSyspath ?? "", left.interfaceNumber ?? 0, left.syspath.utf8.count, left.syspath)
      < (
        right.usbSyspath ?? "", right.interfaceNumber ?? 0, right.syspath.utf8.count,
        right.syspath
      )
  }

  private mutating func add(_ device: UDevDevice) -> [DiscoveryEvent] {
    let before = lastEvents[device.syspath]
    guard let now = classify(device) else { return before == nil ? [] : remove(device.syspath) }
    guard now != before else { return [] }
    if Self.isSameDecision(now, before) {
      lastEvents[device.syspath] = now
      return []
    }
    lastEvents[device.syspath] = now
    switch before {
    case .found(let receiver), .candidate(let receiver): return [.gone(receiver), now]
    default: return [now]
    }
  }

  /// Whether only details without effect have changed, such as an additional link.
  private static func isSameDecision(_ now: DiscoveryEvent, _ before: DiscoveryEvent?) -> Bool {
    switch (now, before) {
    case (.found(let now), .found(let before)), (.candidate(let now), .candidate(let before)):
      (now.name, now.role, now.devnode) == (before.name, before.role, before.devnode)
    default: false
    }
  }

  private mutating func remove(_ syspath: String) -> [DiscoveryEvent] {
    names.release(syspath: syspath)
    // Do not switch to the second port: it belongs to the same USB device and is removed next.
    if let usb = portInUse.first(where: { $0.value == syspath })?.key { portInUse[usb] = nil }
    guard let receiver = lastEvents.removeValue(forKey: syspath)?.receiver else { return [] }
    return [.gone(receiver)]
  }

  /// Classifies a device; returns `nil` if the device is not reported at all, such as a console.
  private mutating func classify(_ device: UDevDevice) -> DiscoveryEvent? {
    let isNamed = policy.named.contains(where: device.hasName)
    guard isNamed || Self.isSerialPort(device) else { return nil }
    let model = device.usbID.flatMap {
      ReceiverCatalog.model(for: $0, interface: device.interfaceNumber)
    }
    let role = Self.role(of: device, model: model)
    func receiver(named name: String) -> DiscoveredReceiver {
      DiscoveredReceiver(name: name, role: role, model: model, device: device)
    }
    if waitsForRules, !device.isInitialized {
      // The device has no links yet, so its stable name cannot be determined.
      return .ignored(receiver(named: device.devnode), .uninitialized)
    }
    let found = receiver(named: names.name(of: device))
    if policy.excluded.contains(where: device.hasName) || policy.excluded.contains(found.name) {
      return .ignored(found, .excluded)
    }
    if isNamed || policy.named.contains(found.name) { return .found(found) }
    switch role {
    case .receiver: return classifyPort(onReceiver: found)
    case .modemPort: return .found(found)
    case .converter: return policy.opensCandidates ? .found(found) : .candidate(found)
    case .uart: return .ignored(found, .namedOnly)
    case .other: return .ignored(found, model?.kind == .modemPort ? .modem : .unknown)
    }
  }

  /// Classifies a port of a receiver: only the first port of a USB device is used.
  private mutating func classifyPort(onReceiver found: DiscoveredReceiver) -> DiscoveryEvent {
    guard let usb = found.device.usbSyspath else { return .found(found) }
    if let first = portInUse[usb], first != found.device.syspath,
      let name = lastEvents[first]?.receiver?.name
    {
      return .ignored(found, .secondPort(of: name))
    }
    portInUse[usb] = found.device.syspath
    return .found(found)
  }

  private static func role(
    of device: UDevDevice, model: ReceiverModel?
  ) -> DiscoveredReceiver.Role {
    if device.isModemPositionPort { return .modemPort }
    // The udev property has priority over the catalog, so that a local rule can override it.
    switch device.claim {
    case "receiver": return .receiver
    case "candidate": return .converter
    default: break
    }
    switch model?.kind {
    case .specific: return .receiver
    case .candidate: return .converter
    // Only ModemManager identifies the GPS port: the interface number depends on the firmware.
    case .modemPort: return .other
    case nil: return device.usbID == nil ? .uart : .other
    }
  }

  /// Whether the device is a serial port: not a console, virtual terminal or UART without hardware.
  private static func isSerialPort(_ device: UDevDevice) -> Bool {
    guard device.devnode.hasPrefix("/dev/"), device.hasUART != false else { return false }
    return !device.syspath.hasPrefix("/sys/devices/virtual/")
      || device.devnode.hasPrefix("/dev/rfcomm")
  }
}
