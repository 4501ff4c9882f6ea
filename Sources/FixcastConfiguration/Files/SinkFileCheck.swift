// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Settings

/// Finds sinks that would write to one file, by whatever names, or take it for one of their own.
///
/// Each takes the file for its own: it goes on where it ended, shortens what it could not finish and
/// moves the file away when it is full. What has the name that the file is moved to is replaced.
struct SinkFileCheck {
  private struct Taken {
    var table: SettingsTable
    var key: String
    var identity: String
    /// With the folder before it, as what it really is.
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

  /// A path in its folder, which is the same for all names of the folder.
  private static func place(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return path }
    let folder = slash == path.startIndex ? "/" : String(path[..<slash])
    return identity(of: folder) + "/" + path[path.index(after: slash)...]
  }

  /// What is the same for all names of one file, and for those of none.
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

  /// A path without what leads nowhere else.
  private static func plain(_ folder: String, _ parts: [String]) -> String {
    var plain = folder.split(separator: "/").map(String.init)
    for part in parts.flatMap({ $0.split(separator: "/").map(String.init) }) where part != "." {
      if part == ".." { _ = plain.popLast() } else { plain.append(part) }
    }
    return "/" + plain.joined(separator: "/")
  }
}
