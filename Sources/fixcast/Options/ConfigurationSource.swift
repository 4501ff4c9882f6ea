// SPDX-License-Identifier: Apache-2.0

import Daemon
import DaemonProtocol
import FixcastConfiguration
import Glibc

/// Where the configuration of a command is read.
struct ConfigurationSource {
  /// The file that was named; `nil` for the files that the daemon reads.
  let file: String?

  /// Every variable of the environment.
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

  /// Reads and checks it.
  ///
  /// - Throws: `ExitCode` 66 where the file that was named is not there, or a folder.
  func loader() throws -> ConfigurationLoader {
    if let file, access(file, F_OK) != 0, errno == ENOENT || errno == ENOTDIR {
      throw CommandFailure.noInput("\(file): no such file")
    }
    var status = stat()
    if let file, stat(file, &status) == 0, status.st_mode & S_IFMT == S_IFDIR {
      throw CommandFailure.noInput(
        "\(file): is a folder; name a file, or none for those that the daemon reads")
    }
    let root = Self.variable("FIXCAST_ROOT") ?? ""
    var loader = ConfigurationLoader(
      files: file.map { ConfigurationFiles(file: $0) } ?? ConfigurationFiles(root: root),
      catalog: .known, credentialsFolder: Self.variable("CREDENTIALS_DIRECTORY"))
    loader.overlay = Self.overlay
    return loader
  }

  /// Where the commands beside a daemon look for it and its answers, it has to be and to look too: by
  /// the environment before the files.
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
