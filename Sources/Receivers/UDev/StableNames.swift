// SPDX-License-Identifier: Apache-2.0

/// Gives receivers names that they keep when they are plugged in again, here or elsewhere.
///
/// A name is the by-id link, which holds the serial number; else ids and serial number; else the
/// port that the device is plugged into. Two receivers of one model without serial numbers have
/// the same by-id link: the first has it for a name, the second is named after its port, and both
/// are remembered so.
struct StableNames: Sendable {
  private struct Identity: Hashable {
    var preferred: String
    var port: String?
  }

  /// More than anyone plugs into one board; the oldest is forgotten.
  private static let maxRemembered = 256

  private var bySyspath: [String: String] = [:]
  /// What devices were called before, which may not have been seen yet.
  private var given: [String: String]
  private var remembered: [Identity: String] = [:]
  private var order: [Identity] = []

  /// Makes names.
  init(given: [String: String] = [:]) { self.given = given }

  /// The name of a device that is plugged in; the same until it is unplugged.
  mutating func name(of device: UDevDevice) -> String {
    if let name = bySyspath[device.syspath] { return name }
    let names = Self.names(of: device)
    let identity = Identity(
      preferred: names.first ?? device.devnode,
      port: device.byPathLink ?? Self.portName(of: device))
    let before = given.removeValue(forKey: device.syspath)
    let taken = Set(bySyspath.values).union(given.values)
    let wanted = [before, remembered[identity]].compactMap { $0 } + names
    // The devnode is last and nobody else's, so there is always one.
    let name = wanted.first { !taken.contains($0) } ?? device.syspath
    bySyspath[device.syspath] = name
    remember(name, for: identity)
    return name
  }

  /// Frees the name of a device that was unplugged, and keeps it in mind.
  mutating func release(syspath: String) {
    bySyspath[syspath] = nil
    given[syspath] = nil
  }

  /// Frees what devices were called before that are not there any more.
  mutating func forget(allBut present: Set<String>) {
    given = given.filter { present.contains($0.key) }
  }

  private mutating func remember(_ name: String, for identity: Identity) {
    guard remembered.updateValue(name, forKey: identity) == nil else { return }
    order.append(identity)
    if order.count > Self.maxRemembered { remembered[order.removeFirst()] = nil }
  }

  /// What it may be called, best first; never empty.
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
