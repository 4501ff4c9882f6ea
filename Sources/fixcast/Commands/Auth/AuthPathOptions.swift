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
  /// - Throws: `ExitCode` 77 if the configuration is needed and this user may not read it, 78 if it
  ///   is invalid.
  func paths() throws -> PolicyPaths {
    let folder = try stateDirectory ?? Self.configuredFolder(below: root, or: Self.optionHint)
    return PolicyPaths(environment: Self.variables, root: root, stateFolder: folder)
  }

  /// The root directory that an option or the environment sets; `nil` for the board's own root.
  var rootFolder: String? {
    (root ?? Self.variables["FIXCAST_ROOT"]).flatMap { $0.isEmpty ? nil : $0 }
  }

  /// Whether the directory of the answers is unknown, since this user may not read the
  /// configuration that may set it.
  var isFolderUnknown: Bool {
    stateDirectory == nil && root == nil && !Self.hasStateVariable
      && !BoardConfiguration.unreadableFiles.isEmpty
  }

  /// Returns the paths from the environment, else from the configuration.
  ///
  /// - Throws: `ExitCode` 77 if the configuration is needed and this user may not read it, 78 if it
  ///   is invalid.
  static func environmentPaths() throws -> PolicyPaths {
    PolicyPaths(
      environment: variables,
      stateFolder: try configuredFolder(
        below: nil,
        or: "start the daemon with: \(AuthContext.startCommand)"))
  }

  /// The paths from the environment, else from the configuration if it is valid; for callers that
  /// read only rules.
  static var rulePaths: PolicyPaths {
    let configured = hasStateVariable ? nil : try? DaemonLocator.configuredPaths()
    return PolicyPaths(environment: variables, stateFolder: configured?.stateFolder)
  }

  private static let optionHint = "set their directory with --state-directory"

  private static var hasStateVariable: Bool {
    DaemonLocator.variable("FIXCAST_STATE_DIRECTORY") != nil
  }

  private static func configuredFolder(below root: String?, or hint: String) throws -> String? {
    guard !hasStateVariable else { return nil }
    do throws(SettingsErrors) {
      let folder = try DaemonLocator.configuredPaths(below: root).stateFolder
      return folder.map { prefixed($0, with: root ?? "") }
    } catch {
      if root == nil, !BoardConfiguration.unreadableFiles.isEmpty,
        case .success = BoardConfiguration.table
      {
        throw CommandFailure.notPermitted(
          "\(BoardConfiguration.unreadableFiles.joined(separator: ", ")): permission denied, so "
            + "the directory of the answers is unknown; try again with sudo, or \(hint)")
      }
      throw CommandFailure.configuration(
        DaemonLocator.unknownMessage("the directory of the answers", error, or: hint))
    }
  }

  /// Returns a path prefixed with the root, unless the path already starts with the root.
  private static func prefixed(_ path: String, with root: String) -> String {
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
