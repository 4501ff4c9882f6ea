// SPDX-License-Identifier: Apache-2.0

import DaemonInterface
import FixcastConfiguration
import Glibc
import Settings

/// Where the board's configuration puts the daemon's socket and its state: commands look there too.
///
/// Else an answer would be written where the daemon never looks. The environment counts before it.
enum BoardDaemon {
  /// The socket; `nil` where no file names one, or what they say cannot be read.
  static var socket: String? { named("socket")?.socket }

  /// The folder of answers; `nil` where no file names one, or what they say cannot be read.
  static var stateFolder: String? { named("state_directory")?.stateDirectory }

  /// The daemon, as every command finds it.
  static var address: DaemonAddress {
    let variable = getenv(DaemonAddress.variable).map { String(cString: $0) } ?? ""
    guard variable.isEmpty else { return DaemonAddress(socketPath: variable) }
    return DaemonAddress(socketPath: socket ?? DaemonAddress.usualSocketPath)
  }

  /// What the files say of the daemon, where they say a word of that name.
  private static func named(_ key: String) -> DaemonSettings? {
    // What is wrong with them is for check-config and the daemon to say.
    guard let files = try? ConfigurationSource(file: nil).loader().files,
      let section = try? files.read().get().table("daemon"), section[key] != nil
    else { return nil }
    return try? DaemonSettings(section)
  }
}
