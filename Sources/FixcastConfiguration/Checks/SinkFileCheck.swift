// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Pipeline

/// Reports sinks that would write to the same file, or rename or replace a file of another sink.
///
/// Each sink appends records to its file, truncates incomplete records and rotates the file,
/// assuming that no other sink uses the file.
struct SinkFileCheck {
  private struct SinkFile {
    var table: SettingsTable
    var key: String
    var identity: String
    /// The names of all files that the sink may create, prefixed with the identity of the folder.
    var names: SinkFileNames
  }

  func errors(_ sinks: [ConfiguredSink]) -> [SettingsError] {
    var files: [SinkFile] = []
    var errors: [SettingsError] = []
    for sink in sinks {
      let table = sink.table
      for (key, path) in sink.files {
        guard path.hasPrefix("/") else {
          errors.append(table.error(.conflict(Self.relativePathProblem(path)), in: key))
          continue
        }
        let file = SinkFile(
          table: table, key: key, identity: Self.identity(of: path),
          names: SinkFileNames(Self.resolvedPath(of: path), extraSuffixes: sink.extraSuffixes))
        if let other = files.first(where: { $0.identity == file.identity }) {
          let problem = "is the same file as \(Self.text(of: other)); use another file"
          errors.append(table.error(.conflict(problem), in: key))
        } else if let other = files.first(where: { $0.names.overlaps(file.names) }) {
          let problem =
            "may collide with a file that \(Self.text(of: other)) creates by adding a number, date "
            + "or suffix; use another name or folder"
          errors.append(table.error(.conflict(problem), in: key))
        } else {
          files.append(file)
        }
      }
    }
    return errors
  }

  private static func relativePathProblem(_ path: String) -> String {
    // The service has no home folder.
    let path = path.hasPrefix("~/") ? path.dropFirst(2) : path[...]
    return "must be an absolute path, because the service runs in /, which is not writable; write "
      + "\"/var/lib/fixcast/\(path)\""
  }

  private static func text(of other: SinkFile) -> String {
    other.table.path(of: other.key) + (other.table[other.key]?.origin.map { " (\($0))" } ?? "")
  }

  /// Returns the path, with the folder replaced by the folder's identity.
  private static func resolvedPath(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return path }
    let folder = slash == path.startIndex ? "/" : String(path[..<slash])
    return identity(of: folder) + "/" + path[path.index(after: slash)...]
  }

  /// Returns a text that is the same for all paths of a file, even if the file does not exist.
  static func identity(of path: String) -> String {
    var status = stat()
    if stat(path, &status) == 0 { return "\(status.st_dev):\(status.st_ino)" }
    // For a missing file, return the real path of the nearest existing folder, followed by the
    // remaining path components.
    var (folder, rest) = (path, [String]())
    while let slash = folder.lastIndex(of: "/") {
      rest.append(String(folder[folder.index(after: slash)...]))
      folder = slash == folder.startIndex ? "/" : String(folder[..<slash])
      if let real = realpath(folder, nil) {
        defer { free(real) }
        return normalized(String(cString: real), rest.reversed())
      }
      if folder == "/" { break }
    }
    return normalized("", (rest + [folder]).reversed())
  }

  /// Returns the path without `.` and `..`.
  private static func normalized(_ folder: String, _ parts: [String]) -> String {
    var components = folder.split(separator: "/").map(String.init)
    for part in parts.flatMap({ $0.split(separator: "/").map(String.init) }) where part != "." {
      if part == ".." { _ = components.popLast() } else { components.append(part) }
    }
    return "/" + components.joined(separator: "/")
  }
}

/// The files of a configured sink.
struct ConfiguredSink {
  let table: SettingsTable
  /// Suffixes of additional files that the sink creates.
  let extraSuffixes: [String]
  private let keys: [String]

  /// The configured paths and their keys; standard output is not included.
  var files: [(key: String, path: String)] {
    keys.compactMap { key in
      guard case .string(let path)? = table[key]?.value, path != "-" else { return nil }
      return (key, path)
    }
  }

  /// Returns all configured sinks, in the order of the files.
  static func all(in table: SettingsTable, _ catalog: ConfigurationCatalog) -> [ConfiguredSink] {
    ConfigurationSection.written(in: table, catalog)
      .filter { $0.1.name == PluginRole.sink.rawValue }
      .map { table, section in
        ConfiguredSink(
          table: table,
          extraSuffixes: catalog.plugin(section.type ?? "", .sink)?.extraSuffixes ?? [],
          keys: section.declarations.compactMap { if case .path = $0.kind { $0.name } else { nil } }
        )
      }
      .sorted {
        guard let one = $0.table.origin, let other = $1.table.origin else { return false }
        return one < other
      }
  }
}
