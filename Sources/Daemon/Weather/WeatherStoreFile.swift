// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The location of the weather store.
package enum WeatherStoreFile {
  static let name = "weather.sqlite"

  /// Returns the path of the store, and creates its directory.
  ///
  /// Commands never use the daemon's store, even if they run as root, because the store's directory
  /// belongs to the user that the daemon runs as.
  ///
  /// - Parameters:
  ///   - environment: The environment variables.
  ///   - isDaemon: Whether the store is the daemon's; false for the store of a command.
  /// - Returns: The path of `weather.sqlite`. Its directory is `$FIXCAST_STATE_DIRECTORY` if set.
  ///   Otherwise, the directory is `/var/lib/fixcast` for the daemon, and `$XDG_STATE_HOME/fixcast`
  ///   or `~/.local/state/fixcast` for a command. `nil` for a command without a usable home
  ///   directory. Root cannot use a home directory that belongs to another user, for example under
  ///   `sudo -E`.
  package static func path(environment: [String: String], isDaemon: Bool) -> String? {
    func folder(_ name: String) -> String? {
      environment[name].flatMap { $0.hasPrefix("/") && isUsable($0) ? $0 : nil }
    }
    let configuredFolder: String? = environment["FIXCAST_STATE_DIRECTORY"].flatMap {
      $0.isEmpty ? nil : $0
    }
    let userFolder: String? =
      folder("XDG_STATE_HOME").map { $0 + "/fixcast" }
      ?? folder("HOME").map { $0 + "/.local/state/fixcast" }
    guard let folder = configuredFolder ?? (isDaemon ? "/var/lib/fixcast" : userFolder)
    else { return nil }
    makeFolder(folder)
    return folder + "/" + name
  }

  /// Whether directories may be created below a folder.
  ///
  /// If the program runs as root, no directory is created in another user's folder.
  private static func isUsable(_ folder: String) -> Bool {
    var status = stat()
    return geteuid() != 0 || stat(folder, &status) != 0 || status.st_uid == 0
  }

  /// Creates a directory and its parents.
  ///
  /// Errors are ignored here; opening the store reports them.
  private static func makeFolder(_ path: String) {
    var parent = path.hasPrefix("/") ? "" : "."
    for part in path.split(separator: "/") {
      parent += "/" + part
      // Only this user may enter the directory, because the store reveals where the board was.
      mkdir(parent, 0o700)
    }
  }
}
