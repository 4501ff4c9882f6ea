// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FixcastConfiguration
import LocationServices

/// Where `fixcast auth` looks.
struct AuthPathOptions: ParsableArguments {
  @Option(
    name: .long,
    help: ArgumentHelp(
      "What stands before all paths, that of the state_directory in its configuration too, as for "
        + "an image; else $FIXCAST_ROOT, else nothing."))
  var root: String?

  @Option(
    name: .long,
    help: ArgumentHelp(
      "Where answers lie; else $FIXCAST_STATE_DIRECTORY, else the state_directory of the board's "
        + "configuration, else /var/lib/fixcast."))
  var stateDirectory: String?

  /// The places named by options, or else by the environment, or else by the configuration.
  ///
  /// - Throws: `ExitCode` 78 where only the configuration could say, and it cannot be read.
  func places() throws -> PolicyPaths {
    let folder = try stateDirectory ?? Self.configuredFolder(below: root, or: Self.optionWay)
    return PolicyPaths(environment: Self.variables, root: root, stateFolder: folder)
  }

  /// The root that was named; `nil` for that of the board.
  var rootFolder: String? {
    (root ?? Self.variables["FIXCAST_ROOT"]).flatMap { $0.isEmpty ? nil : $0 }
  }

  /// The places that the environment names, or else the configuration.
  ///
  /// - Throws: `ExitCode` 78 where only the configuration could say, and it cannot be read.
  static func ofEnvironment() throws -> PolicyPaths {
    PolicyPaths(
      environment: variables,
      stateFolder: try configuredFolder(
        below: nil, or: "name their folder by FIXCAST_STATE_DIRECTORY"))
  }

  /// The same, for those who read no answer: where the configuration cannot be read, the usual folder.
  static var ofRules: PolicyPaths {
    let named = hasStateVariable ? nil : try? BoardDaemon.named()
    return PolicyPaths(environment: variables, stateFolder: named?.stateFolder)
  }

  private static let optionWay = "name their folder by --state-directory"

  private static var hasStateVariable: Bool {
    BoardDaemon.variable("FIXCAST_STATE_DIRECTORY") != nil
  }

  private static func configuredFolder(below root: String?, or way: String) throws -> String? {
    guard !hasStateVariable else { return nil }
    do throws(SettingsErrors) {
      let folder = try BoardDaemon.named(below: root).stateFolder
      return folder.map { below(root ?? "", $0) }
    } catch {
      throw CommandFailure.configuration(BoardDaemon.unknown("where answers lie", error, or: way))
    }
  }

  /// A path of an image below the folder that it lies in, where it does not begin with that already.
  static func below(_ root: String, _ path: String) -> String {
    var root = root
    while root.hasSuffix("/") { root.removeLast() }
    return path == root || path.hasPrefix(root + "/") ? path : root + path
  }

  private static var variables: [String: String] {
    var variables: [String: String] = [:]
    for name in ["FIXCAST_ROOT", "FIXCAST_STATE_DIRECTORY"] {
      variables[name] = BoardDaemon.variable(name)
    }
    return variables
  }
}
