// SPDX-License-Identifier: Apache-2.0

import Daemon
import FixcastConfiguration

/// The configuration files that this user may read, for commands that run without the daemon.
///
/// A command reads them once, and prints each warning once.
enum BoardConfiguration {
  private static let files = ConfigurationFiles(
    root: DaemonLocator.variable("FIXCAST_ROOT") ?? ""
  ).readPermitted()

  /// The settings of the readable files; the errors if they are invalid.
  static var table: Result<SettingsTable, SettingsErrors> { files.table }

  /// The files that this user has no permission to read.
  static var unreadableFiles: [String] { files.denied.compactMap { $0.origin?.file } }

  /// The configured sources; only `auto` if there are none, or if the configuration is invalid.
  ///
  /// Also only `auto` if the daemon runs, since the daemon reads the configured sources.
  static let sources: [SourceSpecification] = {
    guard DaemonAccess.clientIfFound == nil else { return [.auto] }
    warnIfUnreadable()
    switch table.flatMap({ DaemonConfiguration.read($0, catalog: .known) }) {
    case .success(let configuration):
      return configuration.sources.map(\.specification)
    case .failure(let errors):
      StandardError.print(
        "fixcast: the configured sources are not used, since the configuration is invalid: "
          + (errors.all.first.map { "\($0)" } ?? "") + "; see: fixcast check-config")
      return [.auto]
    }
  }()

  /// Prints a warning if this user may not read a file.
  static func warnIfUnreadable() { _ = warning }

  private static let warning: Void = {
    guard !unreadableFiles.isEmpty else { return }
    StandardError.print(
      "fixcast: \(unreadableFiles.joined(separator: ", ")): permission denied; this command does "
        + "not use the settings in it; to use them, run the command with sudo")
  }()
}
