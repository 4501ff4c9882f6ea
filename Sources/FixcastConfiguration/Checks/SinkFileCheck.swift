// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Pipeline

/// Reports sinks that would write to the same file, or rename or replace a file of another sink.
///
/// Each sink treats its file as its own: it appends, truncates incomplete records and rotates it.
struct SinkFileCheck {
  private struct Taken {
    var table: SettingsTable
    var key: String
    var identity: String
    /// With the folder's identity in place of its path.
    var names: SinkFileNames
  }

  func errors(_ sinks: [WrittenSink]) -> [SettingsError] {
    var taken: [Taken] = []
    var errors: [SettingsError] = []
    for sink in sinks {
      let table = sink.table
      for (key, path) in sink.files {
        guard path.hasPrefix("/") else {
          errors.append(table.error(.conflict(Self.relative(path)), in: key))
          continue
        }
        let file = Taken(
          table: table, key: key, identity: Self.identity(of: path),
          names: SinkFileNames(Self.place(of: path), besides: sink.besides))
        if let other = taken.first(where: { $0.identity == file.identity }) {
          let problem = "is the file of \(Self.text(other)) too; name another"
          errors.append(table.error(.conflict(problem), in: key))
        } else if let other = taken.first(where: { $0.names.meet(file.names) }) {
          let problem =
            "may be called as a file of \(Self.text(other)), with a number or a day in its name, or "
            + "beside it; name another, or another folder"
          errors.append(table.error(.conflict(problem), in: key))
        } else {
          taken.append(file)
        }
      }
    }
    return errors
  }

  private static func relative(_ path: String) -> String {
    "has to be an absolute path, since the service runs in /, where nothing can be written; write "
      + "\"/var/lib/fixcast/\(path)\""
  }

  private static func text(_ other: Taken) -> String {
    other.table.path(of: other.key) + (other.table[other.key]?.origin.map { " (\($0))" } ?? "")
  }

  /// The path with its folder's identity in place of the folder.
  private static func place(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return path }
    let folder = slash == path.startIndex ? "/" : String(path[..<slash])
    return identity(of: folder) + "/" + path[path.index(after: slash)...]
  }

  /// A text that is equal for all names of one file, whether it exists or not.
  static func identity(of path: String) -> String {
    var status = stat()
    if stat(path, &status) == 0 { return "\(status.st_dev):\(status.st_ino)" }
    // It is made where its folder is: what of the path is there already is taken for what it is.
    var (folder, rest) = (path, [String]())
    while let slash = folder.lastIndex(of: "/") {
      rest.append(String(folder[folder.index(after: slash)...]))
      folder = slash == folder.startIndex ? "/" : String(folder[..<slash])
      if let real = realpath(folder, nil) {
        defer { free(real) }
        return plain(String(cString: real), rest.reversed())
      }
      if folder == "/" { break }
    }
    return plain("", (rest + [folder]).reversed())
  }

  /// The path without `.` and `..`.
  private static func plain(_ folder: String, _ parts: [String]) -> String {
    var plain = folder.split(separator: "/").map(String.init)
    for part in parts.flatMap({ $0.split(separator: "/").map(String.init) }) where part != "." {
      if part == ".." { _ = plain.popLast() } else { plain.append(part) }
    }
    return "/" + plain.joined(separator: "/")
  }
}

/// The files that a configured sink writes.
struct WrittenSink {
  let table: SettingsTable
  /// Suffixes of files that the sink creates beside its own.
  let besides: [String]
  private let keys: [String]

  /// The paths by key, without standard output.
  var files: [(key: String, path: String)] {
    keys.compactMap { key in
      guard case .string(let path)? = table[key]?.value, path != "-" else { return nil }
      return (key, path)
    }
  }

  /// All configured sinks in the order in which they were written.
  static func all(in table: SettingsTable, _ catalog: ConfigurationCatalog) -> [WrittenSink] {
    ConfigurationSection.written(in: table, catalog)
      .filter { $0.1.name == PluginRole.sink.rawValue }
      .map { table, section in
        WrittenSink(
          table: table, besides: catalog.plugin(section.type ?? "", .sink)?.besides ?? [],
          keys: section.declarations.compactMap { if case .path = $0.kind { $0.name } else { nil } }
        )
      }
      .sorted {
        guard let one = $0.table.origin, let other = $1.table.origin else { return false }
        return one < other
      }
  }
}
