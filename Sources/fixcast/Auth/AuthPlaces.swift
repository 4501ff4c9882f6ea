// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc
import LocationServices

/// Where `fixcast auth` looks.
struct AuthPlaces: ParsableArguments {
  @Option(
    name: .long,
    help: "What stands before all paths, as for an image; else $FIXCAST_ROOT, else nothing.")
  var root: String?

  @Option(
    name: .long,
    help: ArgumentHelp(
      "Where answers lie; else $FIXCAST_STATE_DIRECTORY, else the state_directory of the board's "
        + "configuration, else /var/lib/fixcast."))
  var stateDirectory: String?

  /// The places named by options, or else by the environment, or else by the configuration.
  var places: PolicyPlaces {
    // The configuration below another root is that of another board.
    PolicyPlaces(
      environment: Self.variables, root: root,
      stateFolder: stateDirectory ?? (root == nil ? Self.configuredFolder : nil))
  }

  /// The root that was named; `nil` for that of the board.
  var rootFolder: String? {
    (root ?? Self.variables["FIXCAST_ROOT"]).flatMap { $0.isEmpty ? nil : $0 }
  }

  /// The places that the environment names, or else the configuration.
  static var ofEnvironment: PolicyPlaces {
    PolicyPlaces(environment: variables, stateFolder: configuredFolder)
  }

  private static var configuredFolder: String? {
    (variables["FIXCAST_STATE_DIRECTORY"] ?? "").isEmpty ? BoardDaemon.stateFolder : nil
  }

  private static var variables: [String: String] {
    var variables: [String: String] = [:]
    for name in ["FIXCAST_ROOT", "FIXCAST_STATE_DIRECTORY"] {
      if let value = getenv(name) { variables[name] = String(cString: value) }
    }
    return variables
  }
}
