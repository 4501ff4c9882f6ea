// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import LocationServices
internal import Pipeline
internal import SystemSupport

/// The files of a configuration: the main file, then each `*.toml` file of a folder in alphabetical
/// order.
package struct ConfigurationFiles: Hashable, Sendable {
  static let maxFiles = 64
  static let suffix = ".toml"

  package let main: String
  package let isMainRequired: Bool
  package let folder: String?

  package init(root: String = "") {
    main = root + "/etc/fixcast/config.toml"
    isMainRequired = false
    folder = root + "/etc/fixcast/conf.d"
  }

  package init(file: String) {
    main = file
    isMainRequired = true
    folder = nil
  }

  /// Reads and merges the files; a missing file is treated as empty unless it is required.
  package func read() -> Result<SettingsTable, SettingsErrors> {
    let (table, denied) = readPermitted()
    guard !denied.isEmpty else { return table }
    if case .failure(let errors) = table { return .failure(SettingsErrors(errors.all + denied)) }
    return .failure(SettingsErrors(denied))
  }

  /// Reads and merges the files that this user has permission to read.
  ///
  /// - Returns: The settings, and an error for each file or folder without permission.
  package func readPermitted() -> (
    table: Result<SettingsTable, SettingsErrors>, denied: [SettingsError]
  ) {
    var (whole, errors, denied) = (SettingsTable(), [SettingsError](), [SettingsError]())
    for path in paths(&errors, &denied) {
      do throws(SettingsError) {
        let isRequired = isMainRequired && path == main
        guard let bytes = try Self.bytes(path, isRequired: isRequired, &denied) else { continue }
        let table = try SettingsTable(toml: bytes, file: path)
        whole = whole.overlaid(by: table, identity: Self.identity)
      } catch { errors.append(error) }
    }
    return (errors.isEmpty ? .success(whole) : .failure(SettingsErrors(errors)), denied)
  }

  /// The paths of the existing files, in reading order.
  package var presentPaths: [String] {
    var (errors, denied) = ([SettingsError](), [SettingsError]())
    return paths(&errors, &denied).filter { access($0, F_OK) == 0 }
  }

  /// The files of the configuration folder that are ignored because of their names.
  ///
  /// Hidden files and files that editors and package managers leave behind are not included.
  var ignoredFiles: [String] {
    guard let folder else { return [] }
    let names = try? FolderListing.names(in: folder, limit: Self.maxFiles) {
      !$0.hasSuffix(Self.suffix) && !FolderLeftovers.contains($0)
    }
    return (names ?? []).sorted().map { "\(folder)/\($0)" }.filter(Self.isPlainFile)
  }

  private static func isPlainFile(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }

  private func paths(
    _ errors: inout [SettingsError], _ denied: inout [SettingsError]
  ) -> [String] {
    guard let folder else { return [main] }
    do {
      let names = try FolderListing.names(in: folder, limit: Self.maxFiles) {
        $0.hasSuffix(Self.suffix) && !$0.hasPrefix(".")
      }
      return [main] + names.sorted().map { "\(folder)/\($0)" }
    } catch {
      if error.isPermission {
        denied.append(Self.error(error))
      } else if !error.isMissing {
        errors.append(Self.error(error))
      }
      return [main]
    }
  }

  /// Returns the content of a file; `nil` if the permission is missing, which is added to `denied`.
  private static func bytes(
    _ path: String, isRequired: Bool, _ denied: inout [SettingsError]
  ) throws(SettingsError) -> [UInt8]? {
    do {
      return try BoundedFile.read(path, limit: SettingsTable.maxTOMLBytes)
    } catch {
      if error.isMissing, !isRequired { return [] }
      if error.isPermission {
        denied.append(Self.error(error))
        return nil
      }
      throw Self.error(error)
    }
  }

  private static func error(_ failure: FileFailure) -> SettingsError {
    SettingsError(.unreadable(text(of: failure)), at: SettingOrigin(file: failure.path))
  }

  private static func text(of failure: FileFailure) -> String {
    let text = "cannot be read: \(SystemCallFailure.text(for: failure.number))"
    switch failure.number {
    case _ where failure.isPermission:
      // Do not suggest access for all users: the file may contain secrets.
      return text + "; try with sudo, and allow the daemon's group to read it: sudo chgrp fixcast "
        + "\(failure.path) && sudo chmod g+rX \(failure.path)"
    case _ where failure.isTooLarge:
      return text + "; the limit is \(SettingsTable.maxTOMLBytes) bytes"
    case EISDIR: return "is a folder, not a file"
    case EINVAL: return "is neither a file nor a link to one"
    case EOVERFLOW: return "contains more than \(maxFiles) files; merge some of them"
    default: return text
    }
  }

  /// Returns the name that identifies a table in a list; for a plugin without a name, its type.
  private static func identity(_ list: String, _ table: SettingsTable) -> String? {
    if let name = ConfigurationReader.text("name", table) { return name }
    return PluginRole(rawValue: list).flatMap { _ in ConfigurationReader.text("type", table) }
  }
}

/// Names of files that are ignored without a warning: hidden, disabled, or left behind by other
/// programs.
enum FolderLeftovers {
  private static let endings = [
    "~", "#", ".bak", ".old", ".orig", ".save", ".swp", ".swo", ".swx", ".tmp", ".disabled", ".off",
    ".example", ".sample", ".rpmnew", ".rpmsave", ".rpmorig",
  ]
  private static let marks = [".dpkg-", ".ucf-"]

  static func contains(_ name: String) -> Bool {
    let lowercased = name.lowercased()
    return lowercased.hasPrefix(".") || lowercased.hasPrefix("readme")
      || endings.contains(where: lowercased.hasSuffix)
      || marks.contains { lowercased.contains($0) }
  }
}
