// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Settings

/// Finds sinks that would write to one file, by whatever names.
///
/// Each takes the file for its own: it goes on where it ended, shortens what it could not finish and
/// moves the file away when it is full.
struct SinkFileCheck {
  func errors(_ tables: [SettingsTable], _ paths: (SettingsTable) -> [String]) -> [SettingsError] {
    var first: [String: (table: SettingsTable, key: String)] = [:]
    var errors: [SettingsError] = []
    for table in tables {
      for key in paths(table) {
        // Standard output is nobody's own.
        guard case .string(let path)? = table[key]?.value, path != "-" else { continue }
        let identity = Self.identity(of: path)
        guard let other = first[identity] else {
          first[identity] = (table, key)
          continue
        }
        let place = other.table[other.key]?.origin.map { " (\($0))" } ?? ""
        errors.append(
          table.error(
            .conflict(
              "is the file of \(other.table.path(of: other.key))\(place) too; name another"),
            in: key))
      }
    }
    return errors
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
