// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import LocationServices
internal import Pipeline
public import Settings
internal import TOMLSettings

/// The files that a configuration is made of.
///
/// First the main file, then each `*.toml` of a folder in the order of their names; later values
/// take earlier ones' places.
public struct ConfigurationFiles: Hashable, Sendable {
  /// More files than any board needs.
  static let mostFiles = 64
  /// What the names of the folder's files end with.
  static let suffix = ".toml"

  /// The main file.
  public let main: String
  /// Whether the main file has to be there.
  public let isMainRequired: Bool
  /// The folder; `nil` for none.
  public let folder: String?

  /// Where the daemon looks: `/etc/fixcast/config.toml` and `/etc/fixcast/conf.d`.
  ///
  /// - Parameter root: What comes before both; for tests and images.
  public init(root: String = "") {
    main = root + "/etc/fixcast/config.toml"
    isMainRequired = false
    folder = root + "/etc/fixcast/conf.d"
  }

  /// One file that somebody named, and nothing beside it.
  ///
  /// - Parameter file: The file; it has to be there.
  public init(file: String) {
    main = file
    isMainRequired = true
    folder = nil
  }

  /// Reads them.
  ///
  /// What is not there says nothing; what is there and cannot be read is an error.
  ///
  /// - Returns: What they say together, or everything that is wrong with them.
  public func read() -> Result<SettingsTable, SettingsErrors> {
    var (whole, errors) = (SettingsTable(), [SettingsError]())
    for path in paths(&errors) {
      do throws(SettingsError) {
        let bytes = try Self.bytes(path, isRequired: isMainRequired && path == main)
        let table = try SettingsTable(toml: bytes, file: path)
        whole = whole.overlaid(by: table, identity: Self.identity)
      } catch { errors.append(error) }
    }
    return errors.isEmpty ? .success(whole) : .failure(SettingsErrors(errors))
  }

  /// The files that are there now, in the order in which they are read.
  public var presentPaths: [String] {
    var errors: [SettingsError] = []
    return paths(&errors).filter { access($0, F_OK) == 0 }
  }

  /// The files of the folder that are not read since they are called otherwise, in order.
  ///
  /// Not those that were put aside, hidden, or left by editors and package managers.
  var passedOver: [String] {
    guard let folder else { return [] }
    let names = try? FolderListing.names(in: folder, most: Self.mostFiles) {
      !$0.hasSuffix(Self.suffix) && !FolderLeftovers.include($0)
    }
    return (names ?? []).sorted().map { "\(folder)/\($0)" }.filter(Self.isPlainFile)
  }

  private static func isPlainFile(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }

  /// The main file, and those of the folder in order.
  private func paths(_ errors: inout [SettingsError]) -> [String] {
    guard let folder else { return [main] }
    do {
      let names = try FolderListing.names(in: folder, most: Self.mostFiles) {
        $0.hasSuffix(Self.suffix) && !$0.hasPrefix(".")
      }
      return [main] + names.sorted().map { "\(folder)/\($0)" }
    } catch {
      if !error.isMissing { errors.append(Self.error(error)) }
      return [main]
    }
  }

  /// A file's bytes; none where it is not there and need not be.
  private static func bytes(
    _ path: String, isRequired: Bool
  ) throws(SettingsError) -> [UInt8] {
    do {
      return try BoundedFile.read(path, limit: SettingsTable.longestTOML)
    } catch {
      if error.isMissing, !isRequired { return [] }
      throw Self.error(error)
    }
  }

  private static func error(_ failure: FileFailure) -> SettingsError {
    SettingsError(.unreadable(text(of: failure)), at: SettingOrigin(file: failure.path))
  }

  private static func text(of failure: FileFailure) -> String {
    let text = "cannot be read: \(FileFailure.text(of: failure.number))"
    switch failure.number {
    case _ where failure.isPermission:
      // It may hold keys, and so need not be for everybody.
      return text + "; try with sudo, and let the daemon's group read it: sudo chgrp fixcast "
        + "\(failure.path) && sudo chmod g+rX \(failure.path)"
    case _ where failure.isTooLarge:
      return text + "; a configuration has at most \(SettingsTable.longestTOML) bytes"
    case EISDIR: return "is a folder; a configuration is a file"
    case EINVAL: return "is neither a file nor a link to one"
    case EOVERFLOW: return "holds more than \(mostFiles) files; put some of them together"
    default: return text
    }
  }

  /// Sources are known by their names; a plugin without a name is called as its type.
  private static func identity(_ list: String, _ table: SettingsTable) -> String? {
    if let name = ConfigurationReader.text("name", table) { return name }
    return PluginRole(rawValue: list).flatMap { _ in ConfigurationReader.text("type", table) }
  }
}
