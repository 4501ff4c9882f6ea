// SPDX-License-Identifier: Apache-2.0

import DaemonClient
import DaemonProtocol
import FixcastConfiguration
import Glibc
import Positioning
import Receivers
internal import SystemSupport

/// The paths of the daemon's socket and state directory, from the environment or the board's
/// configuration.
///
/// The environment takes precedence. A running daemon keeps its last valid configuration, so its
/// socket path cannot be read from a file that is now invalid. Commands then report the invalid
/// configuration, since without the path they could bypass a running daemon.
enum DaemonLocator {
  /// The paths that the configuration files set; a path is `nil` if no file sets it.
  struct ConfiguredPaths: Equatable {
    var socket: String?
    var stateFolder: String?
  }

  /// Returns the daemon's paths from the configuration files.
  ///
  /// The files' paths are prefixed with `root`, or with `FIXCAST_ROOT` if `root` is `nil`.
  ///
  /// - Throws: The errors of the files, or of their `[daemon]` section.
  static func configuredPaths(below root: String? = nil) throws(SettingsErrors) -> ConfiguredPaths {
    try configuredPaths(in: files(below: root).read())
  }

  /// Returns the address of the daemon's socket.
  ///
  /// Files that this user may not read do not count: the daemon usually has the default socket.
  ///
  /// - Throws: The errors of the configuration, unless a socket exists at the path in the main file
  ///   or at the default path.
  static func address() throws(SettingsErrors) -> DaemonAddress {
    if let path = variable(DaemonAddress.variable) { return DaemonAddress(socketPath: path) }
    let files = files(below: nil)
    do throws(SettingsErrors) {
      let path =
        try configuredPaths(in: files.readPermitted().table).socket
        ?? DaemonAddress.defaultSocketPath
      return DaemonAddress(socketPath: path)
    } catch {
      let main = try? configuredPaths(in: ConfigurationFiles(file: files.main).read())
      let paths = [main?.socket, DaemonAddress.defaultSocketPath].compactMap(\.self)
      guard let path = paths.first(where: isPresent) else { throw error }
      return DaemonAddress(socketPath: path)
    }
  }

  /// Returns the message for a path that is unknown because the configuration is invalid.
  static func unknownMessage(
    _ subject: String, _ errors: SettingsErrors, or hint: String
  ) -> String {
    let first = errors.all.first.map { "\($0)" } ?? "it is invalid"
    let more = errors.all.count > 1 ? ", and \(errors.all.count - 1) more" : ""
    return "the configuration cannot be read (\(first)\(more)), so \(subject) is unknown; see: "
      + "sudo fixcast check-config, or \(hint)"
  }

  /// Returns the value of an environment variable; `nil` if it is unset or empty.
  static func variable(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
  }

  private static func files(below root: String?) -> ConfigurationFiles {
    ConfigurationFiles(root: root ?? variable("FIXCAST_ROOT") ?? "")
  }

  private static func configuredPaths(
    in result: Result<SettingsTable, SettingsErrors>
  ) throws(SettingsErrors) -> ConfiguredPaths {
    let table = try result.get()
    do throws(SettingsError) {
      let section = try table.table("daemon")
      // A misspelt key may be meant as `socket` or `state_directory`.
      let errors = section.errors(declared: DaemonSettings.settings)
      guard errors.isEmpty else { throw errors[0] }
      let settings = try DaemonSettings(section)
      return ConfiguredPaths(
        socket: section["socket"].map { _ in settings.socket },
        stateFolder: section["state_directory"].map { _ in settings.stateDirectory })
    } catch { throw SettingsErrors([error]) }
  }

  private static func isPresent(_ path: String) -> Bool {
    DaemonClient(address: DaemonAddress(socketPath: path), now: { MonotonicTime.now() })
      .presence != .absent
  }
}
