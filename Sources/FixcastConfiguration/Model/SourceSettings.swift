// SPDX-License-Identifier: Apache-2.0

public import Settings

/// `[[source]]`: where fixes come from.
public struct SourceSettings: Equatable, Sendable {
  /// What a source is.
  public enum Kind: Hashable, Sendable {
    /// Whatever there is: gpsd, else what is plugged in.
    case auto
    /// A serial port; without a speed, the one that is found by listening.
    case serial(device: String, baud: Int?)
    /// A gpsd.
    case gpsd(host: String, port: Int)
    /// A recorded log.
    case replay(file: String)
    /// A simulated receiver.
    case simulated
  }

  private enum Word: String, CaseIterable, Sendable { case auto, serial, gpsd, replay, simulated }

  /// What it is called.
  public var name: String
  /// What it is.
  public var kind: Kind

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

  /// The keys of `[[source]]`.
  public static let settings = [
    nameKey.declaration, typeKey.declaration, deviceKey.declaration, baudKey.declaration,
    hostKey.declaration, portKey.declaration, fileKey.declaration,
  ]

  /// Which key is for which type.
  private static let owners: [String: Word] = [
    "device": .serial, "baud": .serial, "host": .gpsd, "port": .gpsd, "file": .replay,
  ]

  /// Whether a key means anything for a type.
  static func isKey(_ name: String, for type: String) -> Bool {
    owners[name].map { $0.rawValue == type } ?? true
  }

  /// What runs where no file names a source.
  public static let standard = SourceSettings(name: "auto", kind: .auto)

  private init(name: String, kind: Kind) {
    self.name = name
    self.kind = kind
  }

  /// Reads one `[[source]]`.
  ///
  /// - Parameter settings: The table.
  /// - Throws: What does not fit, such as a key that is for another type.
  public init(_ settings: SettingsTable) throws(SettingsError) {
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
  /// The kind and its place, as the command line has it.
  public var text: String {
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
  /// A value that only one type has to have.
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
