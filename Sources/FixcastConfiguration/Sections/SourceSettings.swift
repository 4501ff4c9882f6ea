// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The settings of `[[source]]`.
package struct SourceSettings: Equatable, Sendable {
  package enum Kind: Hashable, Sendable {
    /// gpsd if it responds, otherwise a plugged-in receiver.
    case auto
    /// A serial port; the baud rate is detected if `baud` is `nil`.
    case serial(device: String, baud: Int?, allowsMissingChecksum: Bool = false)
    case gpsd(host: String, port: Int)
    case replay(file: String)
    case simulated
  }

  private enum TypeName: String, CaseIterable, Sendable {
    case auto, serial, gpsd, replay, simulated
  }

  private enum ChecksumRule: String, CaseIterable, Sendable {
    case required, optional
  }

  package var name: String
  package var kind: Kind

  static let nameKey = SettingKey.text(
    "name", summary: "unique name, by which later files refer to it; default: type and address"
  ).optional.example(.string("roof"))
  private static let typeKey = SettingKey<TypeName>.choice(
    "type", default: .auto,
    summary: "type; auto uses gpsd if it responds, otherwise a plugged-in receiver")
  static let deviceKey = SettingKey.path("device", summary: "serial: devnode of the receiver")
    .optional.example(.string("/dev/ttyACM0"))
  static let baudKey = SettingKey.count(
    "baud", in: 300...4_000_000, summary: "serial: baud rate; detected by default"
  ).optional.example(.integer(9600))
  private static let checksumKey = SettingKey<ChecksumRule>.choice(
    "checksum", default: .required,
    summary: "serial: whether each sentence must have a checksum"
  )
  static let hostKey = SettingKey.text(
    "host", default: "localhost", summary: "gpsd: host name or address")
  static let portKey = SettingKey.count(
    "port", in: 1...65_535, default: 2947, summary: "gpsd: TCP port")
  static let fileKey = SettingKey.path("file", summary: "replay: recorded log")
    .optional.example(.string("/var/lib/fixcast/drive.nmea"))

  package static let settings = [
    nameKey.declaration, typeKey.declaration, deviceKey.declaration, baudKey.declaration,
    checksumKey.declaration, hostKey.declaration, portKey.declaration, fileKey.declaration,
  ]

  /// The source type that each key belongs to.
  private static let owners: [String: TypeName] = [
    "device": .serial, "baud": .serial, "checksum": .serial, "host": .gpsd, "port": .gpsd,
    "file": .replay,
  ]

  static func isKey(_ name: String, for type: String) -> Bool {
    owners[name].map { $0.rawValue == type } ?? true
  }

  /// The source that is used if the files contain no source.
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
          "is only for type = \"\(owner.rawValue)\", but the type is \"\(type.rawValue)\"; change "
            + "the type, or remove this key"),
        in: entry.name)
    }
    kind =
      switch type {
      case .auto: .auto
      case .serial:
        .serial(
          device: try settings.required(Self.deviceKey, for: type.rawValue),
          baud: try settings.value(of: Self.baudKey),
          allowsMissingChecksum: try settings.value(of: Self.checksumKey) == .optional)
      case .gpsd:
        .gpsd(
          host: GPSDHost.removingBrackets(from: try settings.value(of: Self.hostKey)),
          port: try settings.value(of: Self.portKey))
      case .replay: .replay(file: try settings.required(Self.fileKey, for: type.rawValue))
      case .simulated: .simulated
      }
    name = try settings.value(of: Self.nameKey) ?? kind.text
    if case .serial(let device, _, _) = kind, !device.hasPrefix("/") {
      throw settings.error(
        .conflict("a devnode begins with /dev/; try \"/dev/\(device)\""), in: "device")
    }
    // An IPv6 address has several colons.
    if case .gpsd(let host, _) = kind, host.count(where: { $0 == ":" }) == 1,
      let colon = host.firstIndex(of: ":")
    {
      let port = host[host.index(after: colon)...]
      throw settings.error(
        .conflict(
          "must be a name or an address without a port; write host = \"\(host[..<colon])\""
            + (UInt16(port) == nil ? "" : " and port = \(port)")),
        in: "host")
    }
    if case .gpsd(let host, _) = kind, let fault = GPSDHost.fault(of: host) {
      throw settings.error(.conflict(fault), in: "host")
    }
  }
}

extension SourceSettings.Kind {
  /// The source in command-line notation, such as `serial:/dev/ttyUSB0`.
  package var text: String {
    switch self {
    case .auto: "auto"
    case .serial(let device, _, _): "serial:\(device)"
    case .gpsd(let host, let port): "gpsd:\(host):\(port)"
    case .replay(let file): "replay:\(file)"
    case .simulated: "simulated"
    }
  }
}

extension SettingsTable {
  /// Returns the value of a key that a source type requires.
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

/// Checks the host name or address of a gpsd server without resolving it.
///
/// This check accepts exactly the hosts that the gpsd source accepts.
enum GPSDHost {
  private static let maxBytes = 253

  static func removingBrackets(from text: String) -> String {
    guard text.hasPrefix("["), text.hasSuffix("]") else { return text }
    let address = String(text.dropFirst().dropLast())
    // `fault(of:)` reports other text in brackets.
    return isIPv6(address) ? address : text
  }

  static func fault(of host: String) -> String? {
    if host.isEmpty { return "is empty; write a name or an address, or remove this key" }
    if host.contains(":") || host.contains("[") || host.contains("]") {
      return isIPv6(host)
        ? nil : "is not a valid name or address; an IPv6 address is written as host = \"::1\""
    }
    let isPlain = host.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F }
    if !isPlain {
      return "is not a valid name or address: it contains blanks or control characters"
    }
    return host.utf8.count > maxBytes
      ? "is longer than \(maxBytes) characters, the limit for a name" : nil
  }

  /// Whether a text is an IPv6 address; accepts a zone such as `%eth0`.
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
