// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// `[[source]]`.
package struct SourceSettings: Equatable, Sendable {
  package enum Kind: Hashable, Sendable {
    /// gpsd if it answers, else what is plugged in.
    case auto
    /// Without `baud`, the speed is detected.
    case serial(device: String, baud: Int?)
    case gpsd(host: String, port: Int)
    case replay(file: String)
    case simulated
  }

  private enum Word: String, CaseIterable, Sendable { case auto, serial, gpsd, replay, simulated }

  package var name: String
  package var kind: Kind

  static let nameKey = SettingKey.text(
    "name", summary: "what it is called, and what a later file names it by; else its type and place"
  ).optional.example(.string("roof"))
  private static let typeKey = SettingKey<Word>.choice(
    "type", default: .auto,
    summary: "what it is; auto is gpsd where it answers, else what is plugged in")
  static let deviceKey = SettingKey.path("device", summary: "serial: the receiver's devnode")
    .optional.example(.string("/dev/ttyACM0"))
  static let baudKey = SettingKey.count(
    "baud", in: 300...4_000_000, summary: "serial: its speed; else found by listening"
  ).optional.example(.integer(9600))
  static let hostKey = SettingKey.text("host", default: "localhost", summary: "gpsd: where it runs")
  static let portKey = SettingKey.count(
    "port", in: 1...65_535, default: 2947, summary: "gpsd: where it listens")
  static let fileKey = SettingKey.path("file", summary: "replay: the recorded log")
    .optional.example(.string("/var/lib/fixcast/drive.nmea"))

  package static let settings = [
    nameKey.declaration, typeKey.declaration, deviceKey.declaration, baudKey.declaration,
    hostKey.declaration, portKey.declaration, fileKey.declaration,
  ]

  /// The type that each key is for.
  private static let owners: [String: Word] = [
    "device": .serial, "baud": .serial, "host": .gpsd, "port": .gpsd, "file": .replay,
  ]

  static func isKey(_ name: String, for type: String) -> Bool {
    owners[name].map { $0.rawValue == type } ?? true
  }

  /// The source if no file names one.
  package static let standard = SourceSettings(name: "auto", kind: .auto)

  private init(name: String, kind: Kind) {
    self.name = name
    self.kind = kind
  }

  package init(_ settings: SettingsTable) throws(SettingsError) {
    let type = try settings.value(of: Self.typeKey)
    for entry in settings.entries {
      guard let owner = Self.owners[entry.name], owner != type else { continue }
      throw settings.error(
        .conflict(
          "is for type = \"\(owner.rawValue)\", and this one is \"\(type.rawValue)\"; write that type, "
            + "or leave this out"),
        in: entry.name)
    }
    kind =
      switch type {
      case .auto: .auto
      case .serial:
        .serial(
          device: try settings.required(Self.deviceKey, for: type.rawValue),
          baud: try settings.value(of: Self.baudKey))
      case .gpsd:
        .gpsd(
          host: GPSDHost.plain(try settings.value(of: Self.hostKey)),
          port: try settings.value(of: Self.portKey))
      case .replay: .replay(file: try settings.required(Self.fileKey, for: type.rawValue))
      case .simulated: .simulated
      }
    name = try settings.value(of: Self.nameKey) ?? kind.text
    if case .serial(let device, _) = kind, !device.hasPrefix("/") {
      throw settings.error(
        .conflict("a devnode begins with /dev/; try \"/dev/\(device)\""), in: "device")
    }
    // An address of IPv6 has several.
    if case .gpsd(let host, _) = kind, host.count(where: { $0 == ":" }) == 1,
      let colon = host.firstIndex(of: ":")
    {
      let port = host[host.index(after: colon)...]
      throw settings.error(
        .conflict(
          "is a name or an address alone; write host = \"\(host[..<colon])\""
            + (UInt16(port) == nil ? "" : " and port = \(port)")),
        in: "host")
    }
    if case .gpsd(let host, _) = kind, let fault = GPSDHost.fault(of: host) {
      throw settings.error(.conflict(fault), in: "host")
    }
  }
}

extension SourceSettings.Kind {
  /// The form of the command line: `serial:/dev/ttyUSB0`.
  package var text: String {
    switch self {
    case .auto: "auto"
    case .serial(let device, _): "serial:\(device)"
    case .gpsd(let host, let port): "gpsd:\(host):\(port)"
    case .replay(let file): "replay:\(file)"
    case .simulated: "simulated"
    }
  }
}

extension SettingsTable {
  /// The value of a key that one type requires.
  fileprivate func required(
    _ key: SettingKey<String?>, for type: String
  ) throws(SettingsError) -> String {
    if let value = try value(of: key) { return value }
    throw error(
      .conflict(
        "type = \"\(type)\" needs \"\(key.declaration.name)\" (\(key.declaration.summary))"),
      in: "type")
  }
}

/// Checks the host of a gpsd without a lookup.
///
/// It accepts what the gpsd source accepts.
enum GPSDHost {
  private static let maxBytes = 253

  static func plain(_ text: String) -> String {
    guard text.hasPrefix("["), text.hasSuffix("]") else { return text }
    let address = String(text.dropFirst().dropLast())
    // Brackets about anything else are a mistake, and told as one.
    return isIPv6(address) ? address : text
  }

  static func fault(of host: String) -> String? {
    if host.isEmpty { return "is empty; write a name or an address, or leave this out" }
    if host.contains(":") || host.contains("[") || host.contains("]") {
      return isIPv6(host)
        ? nil : "is neither a name nor an address; an IPv6 address is written as host = \"::1\""
    }
    let isPlain = host.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F }
    if !isPlain { return "is neither a name nor an address: there are no blanks in one" }
    return host.utf8.count > maxBytes
      ? "is longer than a name can be, which is \(maxBytes) characters" : nil
  }

  /// Accepts a zone such as `%eth0`.
  private static func isIPv6(_ text: String) -> Bool {
    guard text.utf8.count <= maxBytes,
      text.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F && $0 != 0x5B && $0 != 0x5D })
    else { return false }
    let parts = text.split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false)
    guard let address = parts.first, parts.count == 1 || parts.last?.isEmpty == false else {
      return false
    }
    var bytes = in6_addr()
    return inet_pton(AF_INET6, String(address), &bytes) == 1
  }
}
