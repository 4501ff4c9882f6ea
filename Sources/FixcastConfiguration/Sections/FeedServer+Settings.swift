// SPDX-License-Identifier: Apache-2.0

package import DaemonServer
internal import SystemSupport

/// The tables `[gpsd_server]` and `[nmea_server]`.
extension FeedServer.Settings {
  /// The keys of one of the two tables.
  package struct Keys: Sendable {
    let enabled: SettingKey<Bool>
    let listen: SettingKey<[String]>
    let socket: SettingKey<String>?

    package var settings: [SettingDeclaration] {
      [enabled.declaration, listen.declaration] + (socket.map { [$0.declaration] } ?? [])
    }
  }

  package static let gpsd = Keys(
    enabled: .flag(
      "enabled", default: true, summary: "whether programs that use gpsd can connect"),
    listen: .list(
      "listen", default: ["127.0.0.1:2947", "[::1]:2947"],
      summary: "loopback addresses and ports for programs that use gpsd"),
    socket: nil)

  package static let nmea = Keys(
    enabled: .flag(
      "enabled", default: false, summary: "whether programs that read NMEA 0183 can connect"),
    listen: .list(
      "listen", default: ["127.0.0.1:10110"],
      summary: "loopback addresses and ports for programs that read NMEA 0183"),
    socket: .path(
      "socket", default: "/run/fixcast/nmea.sock",
      summary: "Unix socket for programs that read NMEA 0183, such as GeoClue"))

  init(_ settings: SettingsTable, _ keys: Keys) throws(SettingsError) {
    self.init(
      isEnabled: try settings.value(of: keys.enabled),
      addresses: try Self.addresses(
        settings, keys.listen, advice: "send them positions with an nmea sink"))
    if let key = keys.socket {
      let path = try settings.value(of: key)
      // sun_path holds 108 bytes, including the terminating NUL.
      guard path.hasPrefix("/"), path.utf8.count <= 107 else {
        throw settings.error(
          .conflict("must be an absolute path of at most 107 bytes"), in: key.declaration.name)
      }
      socketPath = path
    }
  }

  /// Reads a list of loopback addresses; `advice` is the alternative for other computers.
  static func addresses(
    _ settings: SettingsTable, _ key: SettingKey<[String]>, advice: String
  ) throws(SettingsError) -> [ListenAddress] {
    var addresses: [ListenAddress] = []
    for text in try settings.value(of: key) {
      let quoted = SettingValue.string(text).literal
      guard let address = ListenAddress(text) else {
        throw settings.error(
          .conflict("\(quoted) is not an address with a port, such as \"127.0.0.1:2947\""),
          in: key.declaration.name)
      }
      // The kernel identifies only programs on this board, so no rule could apply to others.
      guard address.isLoopback else {
        throw settings.error(
          .conflict(
            "\(quoted) is not a loopback address; programs on other computers cannot be "
              + "identified: \(advice)"),
          in: key.declaration.name)
      }
      addresses.append(address)
    }
    return addresses
  }
}
