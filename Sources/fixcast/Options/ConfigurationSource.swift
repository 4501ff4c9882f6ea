// SPDX-License-Identifier: Apache-2.0

import Daemon
import DaemonProtocol
import FixcastConfiguration
import Glibc

/// The files and environment variables from which a command reads the configuration.
struct ConfigurationSource {
  /// The file given on the command line; `nil` for the daemon's files.
  let file: String?

  /// All environment variables.
  static var environment: [String: String] {
    var variables: [String: String] = [:]
    var entry = environ
    while let text = entry.pointee {
      let parts = String(cString: text).split(
        separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      if parts.count == 2 { variables[String(parts[0])] = String(parts[1]) }
      entry += 1
    }
    return variables
  }

  /// Returns a loader for the configuration.
  ///
  /// - Throws: `ExitCode` 66 if the given file does not exist or is a directory.
  func loader() throws -> ConfigurationLoader {
    if let file, access(file, F_OK) != 0, errno == ENOENT || errno == ENOTDIR {
      throw CommandFailure.noInput("\(file): no such file; check the name")
    }
    var status = stat()
    if let file, stat(file, &status) == 0, status.st_mode & S_IFMT == S_IFDIR {
      throw CommandFailure.noInput(
        "\(file): is a directory; give a file, or omit the argument to use the daemon's files")
    }
    let root = Self.variable("FIXCAST_ROOT") ?? ""
    var loader = ConfigurationLoader(
      files: file.map { ConfigurationFiles(file: $0) } ?? ConfigurationFiles(root: root),
      catalog: .known, credentialsFolder: Self.variable("CREDENTIALS_DIRECTORY"))
    loader.overlay = Self.overlay
    return loader
  }

  /// The settings from environment variables, which override the files.
  private static var overlay: SettingsTable {
    let keys = [
      ("socket", DaemonAddress.variable), ("state_directory", "FIXCAST_STATE_DIRECTORY"),
    ]
    let entries = keys.compactMap { key, name in
      variable(name).map { SettingEntry(key, .string($0), at: SettingOrigin(file: name)) }
    }
    guard !entries.isEmpty else { return SettingsTable() }
    let daemon = SettingsTable("daemon", entries: entries)
    return SettingsTable(entries: [SettingEntry("daemon", .table(daemon))])
  }

  private static func variable(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
  }
}
