// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The path of a database file, checked before SQLite opens it.
///
/// Another user may have created a link or a file at the path of the database or its log. Without
/// the check, root would write to a file of that user's choice.
struct DatabasePath {
  /// The path, with symbolic links in its folder resolved.
  let resolved: String
  /// The reason not to open the file; `nil` if it may be opened.
  let obstacle: String?

  private static let companionSuffixes = ["", "-wal", "-shm", "-journal"]

  /// Checks a path for an effective user.
  init(_ path: String, user: uid_t = geteuid()) {
    guard let (realFolder, name) = Self.split(path) else {
      // Opening the file will fail, and SQLite reports the error.
      (resolved, obstacle) = (path, nil)
      return
    }
    resolved = Self.join(realFolder, name)
    obstacle = Self.obstacle(inFolder: realFolder, user) ?? Self.obstacle(of: resolved, user)
  }

  /// Returns a path with symbolic links in its folder resolved; the path itself if that fails.
  static func resolved(_ path: String) -> String {
    split(path).map { join($0.folder, $0.name) } ?? path
  }

  /// Whether a path is a symbolic link.
  static func isLink(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
  }

  /// Returns the folder of a path, with symbolic links resolved, and the name of the file in it.
  private static func split(_ path: String) -> (folder: String, name: Substring)? {
    let slash = path.lastIndex(of: "/")
    let folder = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    guard let realPath = realpath(folder, nil) else { return nil }
    defer { free(realPath) }
    return (String(cString: realPath), slash.map { path[path.index(after: $0)...] } ?? path[...])
  }

  private static func join(_ folder: String, _ name: Substring) -> String {
    (folder == "/" ? "" : folder) + "/" + name
  }

  /// Returns the reason why root must not write into a folder; `nil` if root may write.
  private static func obstacle(inFolder folder: String, _ user: uid_t) -> String? {
    var status = stat()
    guard user == 0, stat(folder, &status) == 0 else { return nil }
    if status.st_uid != 0 {
      return "its folder \(folder) belongs to uid \(status.st_uid), but root writes databases only "
        + "into root's own folders; use another folder, or run the program as that user"
    }
    guard status.st_mode & S_IWOTH == 0 || status.st_mode & S_ISVTX != 0 else {
      return "its folder \(folder) is writable by all users; "
        + "fix it with: chmod o-w \(folder), or use another folder"
    }
    return nil
  }

  /// Returns the reason not to open a database or its companion files; `nil` if they may be opened.
  private static func obstacle(of path: String, _ user: uid_t) -> String? {
    for file in companionSuffixes.map({ path + $0 }) {
      var status = stat()
      guard lstat(file, &status) == 0 else { continue }
      let name = file == path ? "it" : file
      switch status.st_mode & S_IFMT {
      case S_IFREG: break
      case S_IFLNK:
        return "\(name) is a symbolic link, which is not followed; remove the link, or use "
          + "the path of its target"
      default: return "\(name) is not a regular file; remove it, or use another file"
      }
      guard status.st_nlink == 1 else {
        return "\(name) has \(status.st_nlink) hard links; remove the others, or use "
          + "another file"
      }
      guard status.st_uid == user else {
        return "\(name) belongs to uid \(status.st_uid), but this program runs as uid \(user); "
          + "remove the file, or change its owner with chown"
      }
    }
    return nil
  }
}
