// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FixcastConfiguration
import LocationServices

/// The options for the paths of `fixcast auth`.
struct AuthPathOptions: ParsableArguments {
  @Option(
    name: .long,
    help: ArgumentHelp(
      "Root directory prefixed to all paths, e.g. of a mounted image (default: $FIXCAST_ROOT)."))
  var root: String?

  @Option(
    name: .long,
    help: ArgumentHelp(
      "Directory that holds operators' answers (default: $FIXCAST_STATE_DIRECTORY, else the "
        + "configured state_directory, else /var/lib/fixcast)."))
  var stateDirectory: String?

  /// Returns the paths from the options, else from the environment, else from the configuration.
  ///
  /// - Throws: `ExitCode` 78 if the configuration is needed and invalid.
  func paths() throws -> PolicyPaths {
    let folder = try stateDirectory ?? Self.configuredFolder(below: root, or: Self.optionHint)
    return PolicyPaths(environment: Self.variables, root: root, stateFolder: folder)
  }

  /// The root directory that an option or the environment sets; `nil` for the board's own root.
  var rootFolder: String? {
    (root ?? Self.variables["FIXCAST_ROOT"]).flatMap { $0.isEmpty ? nil : $0 }
  }

  /// Returns the paths from the environment, else from the configuration.
  ///
  /// - Throws: `ExitCode` 78 if the configuration is needed and invalid.
  static func environmentPaths() throws -> PolicyPaths {
    PolicyPaths(
      environment: variables,
      stateFolder: try configuredFolder(
        below: nil, or: "set their directory in FIXCAST_STATE_DIRECTORY"))
  }

  /// The same paths, for callers that read only rules and so need no valid configuration.
  static var rulePaths: PolicyPaths {
    let named = hasStateVariable ? nil : try? DaemonLocator.configuredPaths()
    return PolicyPaths(environment: variables, stateFolder: named?.stateFolder)
  }

  private static let optionHint = "set their directory with --state-directory"

  private static var hasStateVariable: Bool {
    DaemonLocator.variable("FIXCAST_STATE_DIRECTORY") != nil
  }

  private static func configuredFolder(below root: String?, or hint: String) throws -> String? {
    guard !hasStateVariable else { return nil }
    do throws(SettingsErrors) {
      let folder = try DaemonLocator.configuredPaths(below: root).stateFolder
      return folder.map { below(root ?? "", $0) }
    } catch {
      throw CommandFailure.configuration(
        DaemonLocator.unknownMessage("the directory of the answers", error, or: hint))
    }
  }

  /// Returns a path prefixed with the root, unless the path already starts with the root.
  static func below(_ root: String, _ path: String) -> String {
    var root = root
    while root.hasSuffix("/") { root.removeLast() }
    return path == root || path.hasPrefix(root + "/") ? path : root + path
  }

  private static var variables: [String: String] {
    var variables: [String: String] = [:]
    for name in ["FIXCAST_ROOT", "FIXCAST_STATE_DIRECTORY"] {
      variables[name] = DaemonLocator.variable(name)
    }
    return variables
  }
}
