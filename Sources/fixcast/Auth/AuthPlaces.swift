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
    help: "Where answers lie; else $FIXCAST_STATE_DIRECTORY, else /var/lib/fixcast.")
  var stateDirectory: String?

  /// The places named by options, or else by the environment.
  var places: PolicyPlaces {
    PolicyPlaces(
      root: root ?? Self.variable("FIXCAST_ROOT"),
      stateFolder: stateDirectory ?? Self.variable("FIXCAST_STATE_DIRECTORY"))
  }

  /// The places that the environment names.
  static var ofEnvironment: PolicyPlaces {
    PolicyPlaces(
      root: variable("FIXCAST_ROOT"), stateFolder: variable("FIXCAST_STATE_DIRECTORY"))
  }

  private static func variable(_ name: String) -> String? {
    guard let value = getenv(name), value.pointee != 0 else { return nil }
    return String(cString: value)
  }
}
