// SPDX-License-Identifier: Apache-2.0

import DaemonClient
import DaemonProtocol
import FixcastConfiguration
import Glibc
import Positioning
import Receivers
internal import SystemSupport

/// Where the board's configuration puts the daemon's socket and its state: commands look there too.
///
/// Else an answer would be written where the daemon never looks. The environment counts before it. A
/// daemon keeps what the files said before they were broken, so that while they are nobody knows where
/// it is: commands say so, and do not act in the place of a daemon that may well be there.
enum BoardDaemon {
  /// What the files name; `nil` for each that they say nothing of.
  struct Named: Equatable {
    var socket: String?
    var stateFolder: String?
  }

  /// What the files name.
  ///
  /// - Parameter root: What stands before the files; `nil` for what the environment names.
  /// - Returns: The paths.
  /// - Throws: What cannot be read, or is wrong with what they say of the daemon.
  static func named(below root: String? = nil) throws(SettingsErrors) -> Named {
    try named(in: files(below: root))
  }

  /// The daemon, as every command finds it.
  ///
  /// - Throws: What is wrong with the files, where no daemon is found in spite of it.
  static func address() throws(SettingsErrors) -> DaemonAddress {
    if let path = variable(DaemonAddress.variable) { return DaemonAddress(socketPath: path) }
    let files = files(below: nil)
    do throws(SettingsErrors) {
      return DaemonAddress(socketPath: try named(in: files).socket ?? DaemonAddress.usualSocketPath)
    } catch {
      let main = try? named(in: ConfigurationFiles(file: files.main))
      let paths = [main?.socket, DaemonAddress.usualSocketPath].compactMap(\.self)
      guard let path = paths.first(where: isThere) else { throw error }
      return DaemonAddress(socketPath: path)
    }
  }

  /// Why it is not known where something of the daemon's is.
  static func unknown(_ what: String, _ errors: SettingsErrors, or way: String) -> String {
    let first = errors.all.first.map { "\($0)" } ?? "it is broken"
    let more = errors.all.count > 1 ? ", and \(errors.all.count - 1) more" : ""
    return "the configuration cannot be read (\(first)\(more)), so \(what) is not known; see: "
      + "sudo fixcast check-config, or \(way)"
  }

  /// A variable of the environment; `nil` where it is empty.
  static func variable(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
  }

  private static func files(below root: String?) -> ConfigurationFiles {
    ConfigurationFiles(root: root ?? variable("FIXCAST_ROOT") ?? "")
  }

  private static func named(in files: ConfigurationFiles) throws(SettingsErrors) -> Named {
    let table = try files.read().get()
    do throws(SettingsError) {
      let section = try table.table("daemon")
      // A key that is misspelt may be the one that is looked for.
      let errors = section.errors(declared: DaemonSettings.settings)
      guard errors.isEmpty else { throw errors[0] }
      let settings = try DaemonSettings(section)
      return Named(
        socket: section["socket"].map { _ in settings.socket },
        stateFolder: section["state_directory"].map { _ in settings.stateDirectory })
    } catch { throw SettingsErrors([error]) }
  }

  private static func isThere(_ path: String) -> Bool {
    DaemonClient(address: DaemonAddress(socketPath: path), now: { MonotonicTime.now() })
      .presence != .absent
  }
}
