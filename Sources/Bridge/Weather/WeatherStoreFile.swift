// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Where the weather store lies.
public enum WeatherStoreFile {
  /// The file's path, in a folder that is made where it is missing.
  ///
  /// - Parameters:
  ///   - environment: The variables of the environment.
  ///   - isRoot: Whether root runs the program.
  /// - Returns: `weather.sqlite` below `$FIXCAST_STATE_DIRECTORY`; else below `/var/lib/fixcast` for
  ///   root, and for everybody else below `$XDG_STATE_HOME/fixcast` or `~/.local/state/fixcast`;
  ///   `nil` where there is no home either.
  public static func path(environment: [String: String], isRoot: Bool) -> String? {
    func folder(_ name: String) -> String? {
      environment[name].flatMap { $0.hasPrefix("/") ? $0 : nil }
    }
    let folder =
      environment["FIXCAST_STATE_DIRECTORY"].flatMap { $0.isEmpty ? nil : $0 }
      ?? (isRoot ? "/var/lib/fixcast" : nil)
      ?? folder("XDG_STATE_HOME").map { $0 + "/fixcast" }
      ?? folder("HOME").map { $0 + "/.local/state/fixcast" }
    guard let folder else { return nil }
    makeFolder(folder)
    return folder + "/weather.sqlite"
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
