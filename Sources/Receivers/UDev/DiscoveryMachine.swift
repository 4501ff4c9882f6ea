// SPDX-License-Identifier: Apache-2.0

/// Decides which devices are receivers to use: devices come and go in, decisions out.
///
/// Knows no libudev, thread or file. It opens nothing, so whatever is behind a devnode cannot tell
/// that it was looked at.
public struct DiscoveryMachine: Sendable {
  /// What happened to devices.
  public enum Input: Equatable, Sendable {
    /// All that there is; what is missing has gone.
    case enumerated([UDevDevice])
    /// A device came, or something about it changed.
    case present(UDevDevice)
    /// A device went.
    case absent(syspath: String)
  }

  /// What decides about devices.
  public let policy: DiscoveryPolicy
  private let waitsForRules: Bool
  private var told: [String: DiscoveryEvent] = [:]
  private var names: StableNames
  /// Which port of a receiver with several is in use, by the USB device.
  private var portInUse: [String: String]
  private var isSettled = false

  /// Makes a machine that knows of no device.
  ///
  /// - Parameters:
  ///   - policy: What decides about devices.
  ///   - waitsForRules: Whether a device of which udev has not run the rules is waited for: until
  ///     then it has no links, no group, and nothing of ModemManager's. False where no udevd runs.
  public init(policy: DiscoveryPolicy, waitsForRules: Bool) {
    self.policy = policy
    names = StableNames(given: policy.names)
    portInUse = policy.portsInUse
    self.waitsForRules = waitsForRules
  }

  /// Takes in what happened.
  ///
  /// - Parameter input: What happened.
  /// - Returns: What there is to tell, in order; nothing where nothing has changed.
  public mutating func handle(_ input: Input) -> [DiscoveryEvent] {
    switch input {
    case .enumerated(let devices):
      let present = Set(devices.map(\.syspath))
      names.forget(allBut: present)
      var events = told.keys.filter { !present.contains($0) }.sorted().flatMap { remove($0) }
      // The first port of a receiver first, whatever order they were listed in, but for one that is
      // used from before.
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
    // ttyS2 before ttyS10.
    (left.usbSyspath ?? "", left.interfaceNumber ?? 0, left.syspath.utf8.count, left.syspath)
      < (
        right.usbSyspath ?? "", right.interfaceNumber ?? 0, right.syspath.utf8.count,
        right.syspath
      )
  }

  private mutating func add(_ device: UDevDevice) -> [DiscoveryEvent] {
    let before = told[device.syspath]
    guard let now = judge(device) else { return before == nil ? [] : remove(device.syspath) }
    guard now != before else { return [] }
    if Self.isSameDecision(now, before) {
      told[device.syspath] = now
      return []
    }
    told[device.syspath] = now
    switch before {
    case .found(let receiver), .candidate(let receiver): return [.gone(receiver), now]
    default: return [now]
    }
  }

  /// Whether only what nobody acts on has changed, such as a link more.
  private static func isSameDecision(_ now: DiscoveryEvent, _ before: DiscoveryEvent?) -> Bool {
    switch (now, before) {
    case (.found(let now), .found(let before)), (.candidate(let now), .candidate(let before)):
      (now.name, now.role, now.devnode) == (before.name, before.role, before.devnode)
    default: false
    }
  }

  private mutating func remove(_ syspath: String) -> [DiscoveryEvent] {
    names.release(syspath: syspath)
    // The second port does not take over: it is about to go too.
    if let usb = portInUse.first(where: { $0.value == syspath })?.key { portInUse[usb] = nil }
    guard let receiver = told.removeValue(forKey: syspath)?.receiver else { return [] }
    return [.gone(receiver)]
  }

  /// What is to be done with a device; `nil` where it is none of our business.
  private mutating func judge(_ device: UDevDevice) -> DiscoveryEvent? {
    let isNamed = policy.named.contains(where: device.isCalled)
    guard isNamed || Self.isSerialPort(device) else { return nil }
    let model = device.usbID.flatMap {
      ReceiverCatalog.model(for: $0, interface: device.interfaceNumber)
    }
    let role = Self.role(of: device, model: model)
    func receiver(named name: String) -> DiscoveredReceiver {
      DiscoveredReceiver(name: name, role: role, model: model, device: device)
    }
    if waitsForRules, !device.isInitialized {
      // It has no links yet, and so no name that could be kept.
      return .ignored(receiver(named: device.devnode), .uninitialized)
    }
    let found = receiver(named: names.name(of: device))
    if policy.excluded.contains(where: device.isCalled) || policy.excluded.contains(found.name) {
      return .ignored(found, .excluded)
    }
    if isNamed || policy.named.contains(found.name) { return .found(found) }
    switch role {
    case .receiver: return decide(onReceiver: found)
    case .modemPort: return .found(found)
    case .converter: return policy.listensToCandidates ? .found(found) : .candidate(found)
    case .uart: return .ignored(found, .namedOnly)
    case .other: return .ignored(found, model?.kind == .modemPort ? .modem : .unknown)
    }
  }

  /// A receiver with several ports is one receiver: the port that came first is used.
  private mutating func decide(onReceiver found: DiscoveredReceiver) -> DiscoveryEvent {
    guard let usb = found.device.usbSyspath else { return .found(found) }
    if let first = portInUse[usb], first != found.device.syspath,
      let name = told[first]?.receiver?.name
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
    // The rules' word counts before ours: a local rule may know better than a list.
    switch device.claim {
    case "receiver": return .receiver
    case "candidate": return .converter
    default: break
    }
    switch model?.kind {
    case .specific: return .receiver
    case .candidate: return .converter
    // Whether it is that port, ModemManager says, not the ids: firmware moves interfaces about.
    case .modemPort: return .other
    case nil: return device.usbID == nil ? .uart : .other
    }
  }

  /// Leaves out consoles and virtual terminals, and UARTs that are only a number.
  private static func isSerialPort(_ device: UDevDevice) -> Bool {
    guard device.devnode.hasPrefix("/dev/"), device.hasUART != false else { return false }
    return !device.syspath.hasPrefix("/sys/devices/virtual/")
      || device.devnode.hasPrefix("/dev/rfcomm")
  }
}
