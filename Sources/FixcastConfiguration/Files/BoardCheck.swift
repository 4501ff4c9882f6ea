// SPDX-License-Identifier: Apache-2.0

internal import Glibc
public import Settings

/// Looks whether what a configuration names is there on this board, and whether something lies beside
/// it that is not read: no error, since it may be there later, when a stick or a receiver is plugged
/// in, but seldom what was meant.
///
/// Nothing is opened. Folders are looked at as the user that asks, who need not be the service's:
/// what that one may not see is not complained of, nor what the service may be the one to write to.
public struct BoardCheck: Sendable {
  private let loaded: ConfigurationLoader.Loaded
  private let catalog: ConfigurationCatalog

  /// Makes a check that has looked at nothing yet.
  ///
  /// - Parameters:
  ///   - loaded: The configuration, in which nothing is wrong.
  ///   - catalog: What there is to be configured.
  public init(_ loaded: ConfigurationLoader.Loaded, _ catalog: ConfigurationCatalog) {
    self.loaded = loaded
    self.catalog = catalog
  }

  /// Looks.
  ///
  /// - Returns: What is not there, not read, or cannot be written to, each with its place and what to
  ///   do.
  public func warnings() -> SettingsErrors {
    SettingsErrors(
      passedOver() + folders() + sources() + keys()
        + ProgramCheck().warnings(in: loaded.table, catalog))
  }

  private func passedOver() -> [SettingsError] {
    loaded.passedOver.map { file in
      SettingsError(
        .unreadable("is passed over: its name does not end in \(ConfigurationFiles.suffix)"),
        at: SettingOrigin(file: file))
    }
  }

  private func folders() -> [SettingsError] {
    WrittenSink.all(in: loaded.table, catalog).flatMap { sink in
      sink.files.compactMap { key, path in
        Self.folder(of: path).flatMap(problem).map { sink.table.error(.conflict($0), in: key) }
      }
    }
  }

  private func problem(with folder: String) -> String? {
    // The service manager makes this one, and gives it to the service alone.
    if folder == loaded.configuration.daemon.stateDirectory { return nil }
    var status = stat()
    guard stat(folder, &status) == 0 else {
      guard errno == ENOENT || errno == ENOTDIR else { return nil }
      return "there is no folder \(folder) to write into; make it, or name a file in another"
    }
    guard status.st_mode & S_IFMT == S_IFDIR else {
      return "\(folder) is no folder to write into; name a file in another"
    }
    guard access(folder, W_OK | X_OK) != 0 else { return nil }
    let isReadOnly = errno == EROFS
    guard isReadOnly || !Self.isOthers(status) else { return nil }
    return isReadOnly
      ? "\(folder) is read-only; name a file in another folder"
      : "\(folder) cannot be written to by this user (uid \(geteuid())); let the user that fixcast "
        + "runs as write there (see `ls -ld \(folder)`), or name a file in another folder"
  }

  /// Whether a user other than this one and root, or a group, may write to a folder: the service's
  /// may be that.
  private static func isOthers(_ status: stat) -> Bool {
    let (owner, group) = (S_IWUSR | S_IXUSR, S_IWGRP | S_IXGRP)
    return (status.st_uid != 0 && status.st_uid != geteuid() && status.st_mode & owner == owner)
      || (status.st_gid != 0 && status.st_mode & group == group)
  }

  private static func folder(of path: String) -> String? {
    guard let slash = path.lastIndex(of: "/") else { return nil }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  private func sources() -> [SettingsError] {
    guard case .list(let values)? = loaded.table["source"]?.value else { return [] }
    return values.compactMap { value -> SettingsError? in
      guard case .table(let table) = value else { return nil }
      if let device = ConfigurationReader.text("device", table) {
        return Self.problem(withDevice: device).map { table.error(.conflict($0), in: "device") }
      }
      guard let file = ConfigurationReader.text("file", table), access(file, F_OK) != 0,
        errno == ENOENT || errno == ENOTDIR
      else { return nil }
      return table.error(.conflict("there is no \(file); name a recorded log"), in: "file")
    }
  }

  private func keys() -> [SettingsError] {
    loaded.configuration.weather.providers.compactMap { provider in
      guard let warning = provider.cleartextWarning,
        let table = try? loaded.table.table("weather").table(provider.name)
      else { return nil }
      return table.error(.conflict(warning), in: "base_url")
    }
  }

  private static func problem(withDevice device: String) -> String? {
    var status = stat()
    guard stat(device, &status) == 0 else {
      guard errno == ENOENT || errno == ENOTDIR else { return nil }
      return
        "there is no receiver at \(device) now; plug it in, or see `fixcast devices` for those "
        + "that are there"
    }
    guard status.st_mode & S_IFMT != S_IFCHR else { return nil }
    return "\(device) is no serial port; see `fixcast devices` for those that are there"
  }
}
