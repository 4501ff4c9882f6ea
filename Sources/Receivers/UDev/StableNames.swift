// SPDX-License-Identifier: Apache-2.0

/// Assigns names that receivers keep when they are replugged, even into another port.
///
/// A name is the by-id link, which contains the serial number; else the USB ids with the serial
/// number; else the USB port. Two receivers of one model without serial numbers have the same
/// by-id link: the first receiver is named after the link, the second after its port. Each receiver
/// keeps its name.
struct StableNames: Sendable {
  private struct Identity: Hashable {
    var preferred: String
    var port: String?
  }

  /// The maximum number of remembered names; further names replace the oldest ones.
  private static let maxRemembered = 256

  private var bySyspath: [String: String] = [:]
  /// The names from a previous discovery, by syspath, of devices that this discovery has not named.
  private var previous: [String: String]
  private var remembered: [Identity: String] = [:]
  private var rememberedOrder: [Identity] = []

  init(previous: [String: String] = [:]) { self.previous = previous }

  /// Returns the name of a device, which stays the same until the device is unplugged.
  mutating func name(of device: UDevDevice) -> String {
    if let name = bySyspath[device.syspath] { return name }
    let names = Self.names(of: device)
    let identity = Identity(
      preferred: names.first ?? device.devnode,
      port: device.byPathLink ?? Self.portName(of: device))
    let previousName = previous.removeValue(forKey: device.syspath)
    let taken = Set(bySyspath.values).union(previous.values)
    let candidates = [previousName, remembered[identity]].compactMap { $0 } + names
    // The last choice is the devnode, which is unique, so there is always a free name.
    let name = candidates.first { !taken.contains($0) } ?? device.syspath
    bySyspath[device.syspath] = name
    remember(name, for: identity)
    return name
  }

  /// Releases the name of an unplugged device; a replugged device gets its name back.
  mutating func release(syspath: String) {
    bySyspath[syspath] = nil
    previous[syspath] = nil
  }

  /// Releases the previous names of devices that are no longer present.
  mutating func forget(allBut present: Set<String>) {
    previous = previous.filter { present.contains($0.key) }
  }

  private mutating func remember(_ name: String, for identity: Identity) {
    guard remembered.updateValue(name, forKey: identity) == nil else { return }
    rememberedOrder.append(identity)
    if rememberedOrder.count > Self.maxRemembered {
      remembered[rememberedOrder.removeFirst()] = nil
    }
  }

  /// Returns the possible names of a device, best first; never empty.
  static func names(of device: UDevDevice) -> [String] {
    var names: [String] = []
    if let link = device.byIDLink { names.append(lastComponent(of: link)) }
    if let id = device.usbID, let serial = device.serialNumber {
      names.append("\(id)-\(serial)" + interfaceSuffix(of: device))
    }
    if let link = device.byPathLink { names.append(lastComponent(of: link)) }
    if let port = portName(of: device) { names.append(port) }
    return names + [device.devnode]
  }

  private static func portName(of device: UDevDevice) -> String? {
    device.usbSyspath.map { "usb-" + lastComponent(of: $0) + interfaceSuffix(of: device) }
  }

  private static func interfaceSuffix(of device: UDevDevice) -> String {
    guard let number = device.interfaceNumber else { return "" }
    let text = String(number, radix: 16)
    return "-if" + (text.utf8.count < 2 ? "0" : "") + text
  }

  private static func lastComponent(of path: String) -> String {
    path.lastIndex(of: "/").map { String(path[path.index(after: $0)...]) } ?? path
  }
}
