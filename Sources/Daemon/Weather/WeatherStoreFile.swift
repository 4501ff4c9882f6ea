// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Where the weather store lies.
package enum WeatherStoreFile {
  static let name = "weather.sqlite"

  /// The file's path, in a folder that is made where it is missing.
  ///
  /// Commands never use the daemon's store, not even as root: its folder belongs to the user that the
  /// daemon runs as.
  ///
  /// - Parameters:
  ///   - environment: The variables of the environment.
  ///   - isDaemon: Whether the daemon asks.
  /// - Returns: `weather.sqlite` below `$FIXCAST_STATE_DIRECTORY`; else below `/var/lib/fixcast` for
  ///   the daemon, and for commands below `$XDG_STATE_HOME/fixcast` or `~/.local/state/fixcast`.
  ///   `nil` where there is no home either, or root's is another user's, as under `sudo -E`.
  package static func path(environment: [String: String], isDaemon: Bool) -> String? {
    func folder(_ name: String) -> String? {
      environment[name].flatMap { $0.hasPrefix("/") && isUsable($0) ? $0 : nil }
    }
    let folder =
      environment["FIXCAST_STATE_DIRECTORY"].flatMap { $0.isEmpty ? nil : $0 }
      ?? (isDaemon ? "/var/lib/fixcast" : nil)
      ?? folder("XDG_STATE_HOME").map { $0 + "/fixcast" }
      ?? folder("HOME").map { $0 + "/.local/state/fixcast" }
    guard let folder else { return nil }
    makeFolder(folder)
    return folder + "/" + name
  }

  /// Whether this user may make folders below a folder: root makes none in another user's.
  private static func isUsable(_ folder: String) -> Bool {
    var status = stat()
    return geteuid() != 0 || stat(folder, &status) != 0 || status.st_uid == 0
  }

  /// Makes a folder and those it lies in; whether it is there is for whoever opens the file to see.
  private static func makeFolder(_ path: String) {
    var made = path.hasPrefix("/") ? "" : "."
    for part in path.split(separator: "/") {
      made += "/" + part
      // What it holds tells where the board was.
      mkdir(made, 0o700)
    }
  }
}
