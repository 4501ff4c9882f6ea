// SPDX-License-Identifier: Apache-2.0

internal import SystemSupport

/// The settings of `[[source]]`.
package struct SourceSettings: Equatable, Sendable {
  private enum TypeName: String, CaseIterable, Sendable {
    case auto, serial, gpsd, replay, simulated
  }

  private enum ChecksumRule: String, CaseIterable, Sendable {
    case required, optional
  }

  package var name: String
  package var specification: SourceSpecification

  static let nameKey = SettingKey.text(
    "name", summary: "unique name, by which later files refer to it; default: type and address"
  ).optional.example(.string("roof"))
  private static let typeKey = SettingKey<TypeName>.choice(
    "type", default: .auto,
    summary: "type; auto uses gpsd if it responds, otherwise a plugged-in receiver")
  static let deviceKey = SettingKey.path(
    "device",
    summary: "serial: port of the receiver; of a USB port its link in /dev/serial/by-id, which is "
      + "stable"
  ).optional.example(.string("/dev/serial/by-id/usb-1a86_USB_Serial-if00-port0"))
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
  package static let standard = SourceSettings(name: "auto", specification: .auto)

  private init(name: String, specification: SourceSpecification) {
    self.name = name
    self.specification = specification
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
    specification =
      switch type {
      case .auto: .auto
      case .serial:
        .serial(
          devnode: try settings.required(Self.deviceKey, for: type.rawValue),
          baud: try settings.value(of: Self.baudKey),
          allowsMissingChecksum: try settings.value(of: Self.checksumKey) == .optional)
      case .gpsd: .gpsd(try Self.gpsd(settings))
      case .replay: .replay(file: try settings.required(Self.fileKey, for: type.rawValue))
      case .simulated: .simulated
      }
    name = try settings.value(of: Self.nameKey) ?? specification.nameWithoutBaud
    if case .serial(let devnode, _, _) = specification, !devnode.hasPrefix("/") {
      throw settings.error(
        .conflict("a devnode begins with /dev/; try \"/dev/\(devnode)\""), in: "device")
    }
  }

  private static func gpsd(_ settings: SettingsTable) throws(SettingsError) -> HostPort {
    let text = try settings.value(of: hostKey)
    let port = UInt16(clamping: try settings.value(of: portKey))
    do throws(Host.Flaw) {
      return try HostPort(host: Host(text), port: port)
    } catch {
      throw settings.error(.conflict(fault(error, in: text)), in: "host")
    }
  }

  private static func fault(_ flaw: Host.Flaw, in host: String) -> String {
    // An IPv6 address has several colons.
    if let colon = host.firstIndex(of: ":"), colon == host.lastIndex(of: ":") {
      let port = host[host.index(after: colon)...]
      return "must be a name or an address without a port; write host = \"\(host[..<colon])\""
        + (UInt16(port) == nil ? "" : " and port = \(port)")
    }
    return switch flaw {
    case .isEmpty: "is empty; write a name or an address, or remove this key"
    case .isTooLong: "is longer than \(Host.maxBytes) characters, the limit for a name"
    case .hasBlank: "is not a valid name or address: it contains blanks or control characters"
    case .isNoAddress:
      "is not a valid name or address; an IPv6 address is written as host = \"::1\""
    case .isNoName, .hasNoPort: "is not a valid name or address"
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
