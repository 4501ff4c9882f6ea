// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Pipeline

/// Warns of configured devices, files and folders that do not exist on this system, and of ignored
/// configuration files.
///
/// These are warnings, not errors, because a drive or a receiver may be plugged in later. The check
/// opens no files. It may run as a different user than the service, so it does not warn of folders
/// that this user cannot access, or that the service may be able to write to.
package struct BoardCheck: Sendable {
  private let loaded: ConfigurationLoader.Loaded
  private let catalog: ConfigurationCatalog
  private let unit: ServiceUnit?

  /// `unit` limits the folders of the sinks; `nil` for no limits.
  package init(
    _ loaded: ConfigurationLoader.Loaded, _ catalog: ConfigurationCatalog,
    unit: ServiceUnit? = nil
  ) {
    self.loaded = loaded
    self.catalog = catalog
    self.unit = unit
  }

  package func warnings() -> SettingsErrors {
    SettingsErrors(
      ignoredFileWarnings() + stateFolderWarnings() + folderWarnings() + sourceWarnings()
        + cleartextKeyWarnings() + pluginWarnings()
        + ProgramCheck().warnings(in: loaded.table, catalog))
  }

  private func ignoredFileWarnings() -> [SettingsError] {
    loaded.ignoredFiles.map { file in
      SettingsError(
        .unreadable("is ignored: its name does not end in \(ConfigurationFiles.suffix)"),
        at: SettingOrigin(file: file))
    }
  }

  /// Warns of a state directory on a read-only disk, where neither answers nor tracks can be written.
  private func stateFolderWarnings() -> [SettingsError] {
    let folder = loaded.configuration.daemon.stateDirectory
    guard access(folder, W_OK) != 0, errno == EROFS else { return [] }
    return [
      SettingsError(
        .unreadable(
          "is read-only; remount its disk (see: findmnt -T \(folder)), or set another "
            + "state_directory below [daemon]"),
        at: SettingOrigin(file: folder))
    ]
  }

  private static func readOnlyText(_ folder: String) -> String {
    "\(folder) is read-only; remount its disk (see: findmnt -T \(folder)), or use another folder"
  }

  private func folderWarnings() -> [SettingsError] {
    ConfiguredSink.all(in: loaded.table, catalog).flatMap { sink in
      sink.files.compactMap { key, path in
        Self.folder(of: path).flatMap(problem).map { sink.table.error(.conflict($0), in: key) }
      }
    }
  }

  private func problem(with folder: String) -> String? {
    // The service manager creates this folder, and only the service can access it.
    if folder == loaded.configuration.daemon.stateDirectory { return nil }
    var status = stat()
    guard stat(folder, &status) == 0 else {
      guard errno == ENOENT || errno == ENOTDIR else { return nil }
      return "folder \(folder) does not exist; create it, or use another folder"
    }
    guard status.st_mode & S_IFMT == S_IFDIR else {
      return "\(folder) is not a folder; use another folder"
    }
    if let problem = unit?.problem(with: folder) { return problem }
    guard access(folder, W_OK | X_OK) != 0 else { return nil }
    let isReadOnly = errno == EROFS
    guard isReadOnly || !Self.isWritableByOthers(status) else { return nil }
    return isReadOnly
      ? Self.readOnlyText(folder)
      : "\(folder) is not writable for this user (uid \(geteuid())); allow the user that "
        + "fixcast runs as to write there (see: ls -ld \(folder)), or use another folder"
  }

  /// Whether a group, or a user other than this user and root, may write to a folder.
  private static func isWritableByOthers(_ status: stat) -> Bool {
    let (owner, group) = (S_IWUSR | S_IXUSR, S_IWGRP | S_IXGRP)
    return (status.st_uid != 0 && status.st_uid != geteuid() && status.st_mode & owner == owner)
      || (status.st_gid != 0 && status.st_mode & group == group)
  }

  private static func folder(of path: String) -> String? {
    guard let slash = path.lastIndex(of: "/") else { return nil }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  private func sourceWarnings() -> [SettingsError] {
    guard case .list(let values)? = loaded.table["source"]?.value else { return [] }
    return values.compactMap(\.asTable).compactMap { table -> SettingsError? in
      if let device = ConfigurationReader.text("device", table) {
        return Self.problem(withDevice: device).map { table.error(.conflict($0), in: "device") }
      }
      guard let file = ConfigurationReader.text("file", table), access(file, F_OK) != 0,
        errno == ENOENT || errno == ENOTDIR
      else { return nil }
      return table.error(.conflict("\(file) does not exist; use a recorded log"), in: "file")
    }
  }

  private func cleartextKeyWarnings() -> [SettingsError] {
    loaded.configuration.weather.providers.compactMap { provider in
      guard let warning = provider.cleartextWarning,
        let table = try? loaded.table.table("weather").table(provider.name)
      else { return nil }
      return table.error(.conflict(warning), in: "base_url")
    }
  }

  private func pluginWarnings() -> [SettingsError] {
    ConfigurationSection.written(in: loaded.table, catalog).compactMap { table, section in
      let plugin = catalog.plugins.first {
        $0.type == section.type && $0.role.rawValue == section.name
      }
      return plugin?.warning(table)
    }
  }

  private static func problem(withDevice device: String) -> String? {
    var status = stat()
    guard stat(device, &status) == 0 else {
      guard errno == ENOENT || errno == ENOTDIR else { return nil }
      return
        "there is no receiver at \(device); plug it in, or list receivers with: fixcast devices"
    }
    guard status.st_mode & S_IFMT != S_IFCHR else { return nil }
    return "\(device) is not a serial port; list receivers with: fixcast devices"
  }
}

/// Warns of missing programs of `exec` plugins.
struct ProgramCheck {
  /// The `PATH` that systemd gives a service.
  private static let servicePath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

  func warnings(in table: SettingsTable, _ catalog: ConfigurationCatalog) -> [SettingsError] {
    ConfigurationSection.written(in: table, catalog).compactMap {
      table, section -> SettingsError? in
      guard section.type == "exec", case .list(let words)? = table["command"]?.value,
        case .string(let program)? = words.first
      else { return nil }
      // These two keys may set another PATH for the program.
      let isPathKnown = table["environment"] == nil && table["environment_files"] == nil
      return problem(with: program, isPathKnown).map {
        table.error(.conflict($0), in: "command")
      }
    }
  }

  private func problem(with program: String, _ isPathKnown: Bool) -> String? {
    guard !program.isEmpty else { return nil }
    guard !program.contains("/") else {
      let isMissing = program.hasPrefix("/") && Self.isMissing(program)
      return isMissing ? "program \(program) does not exist; install it, or use another" : nil
    }
    guard isPathKnown, folders.allSatisfy({ Self.isMissing("\($0)/\(program)") }) else {
      return nil
    }
    return "program \(program) not found in PATH; install it, or use its absolute path"
  }

  private var folders: [Substring] {
    let userPath = getenv("PATH").map { ":" + String(cString: $0) } ?? ""
    return (Self.servicePath + userPath).split(separator: ":")
  }

  /// Whether a file certainly does not exist; false if this user may not be able to see the file.
  private static func isMissing(_ path: String) -> Bool {
    access(path, F_OK) != 0 && (errno == ENOENT || errno == ENOTDIR)
  }
}
