// SPDX-License-Identifier: Apache-2.0

public import Settings

/// `[daemon]`: the program itself.
public struct DaemonSettings: Equatable, Sendable {
  /// How much is logged.
  public enum LogLevel: String, CaseIterable, Sendable {
    case trace, debug, info, notice, warning, error, critical
  }

  /// Where clients find it.
  public var socket: String
  /// Where decisions, reports and budgets are kept.
  public var stateDirectory: String
  /// How much is logged.
  public var logLevel: LogLevel

  static let socketKey = SettingKey.path(
    "socket", default: "/run/fixcast/fixcast.sock", summary: "where clients find the daemon")
  static let stateDirectoryKey = SettingKey.path(
    "state_directory", default: "/var/lib/fixcast",
    summary: "where authorizations, weather reports and budgets are kept")
  static let logLevelKey = SettingKey<LogLevel>.choice(
    "log_level", default: .info, summary: "how much is logged")

  /// The keys of `[daemon]`.
  public static let settings = [
    socketKey.declaration, stateDirectoryKey.declaration, logLevelKey.declaration,
  ]

  /// Reads `[daemon]`.
  ///
  /// - Parameter settings: The table.
  /// - Throws: What does not fit.
  public init(_ settings: SettingsTable) throws(SettingsError) {
    socket = try settings.value(of: Self.socketKey)
    stateDirectory = try settings.value(of: Self.stateDirectoryKey)
    logLevel = try settings.value(of: Self.logLevelKey)
    for (name, path, folder) in [
      ("socket", socket, "/run/fixcast"), ("state_directory", stateDirectory, "/var/lib"),
    ] where !path.hasPrefix("/") {
      // No shell reads it: a ~ is nobody's home.
      let last = path.split(separator: "/").last { $0 != "~" } ?? "fixcast"
      throw settings.error(
        .conflict("has to be an absolute path, such as \(folder)/\(last)"), in: name)
    }
    // sun_path holds 108 bytes, the one that ends it included.
    guard socket.utf8.count <= 107 else {
      throw settings.error(
        .conflict("is longer than the 107 bytes of a socket's path"), in: "socket")
    }
  }
}
