// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import SQLiteStore

/// The folder in which the daemon keeps what has to be there after a start anew.
struct StateDirectory: Sendable {
  let path: String

  /// Why nothing can be kept there, and what mends it; `nil` where something can.
  ///
  /// Looked at each time: a disk may come to be mounted read-only while the daemon runs.
  var fault: String? {
    var (folder, status) = (path, stat())
    // What is not there is made when it is first needed, in the folder that is.
    while stat(folder, &status) != 0 {
      guard errno == ENOENT, let slash = folder.lastIndex(of: "/") else {
        return Self.text(path, folder, errno)
      }
      folder = slash == folder.startIndex ? "/" : String(folder[..<slash])
    }
    guard status.st_mode & S_IFMT == S_IFDIR else { return Self.text(path, folder, ENOTDIR) }
    guard access(folder, W_OK | X_OK) == 0 else { return Self.text(path, folder, errno) }
    let store = path + "/" + WeatherStoreFile.name
    return SQLiteDatabase.obstacle(at: store).map {
      "weather store \(store): \($0); until a restart after that, reports and budgets are not kept"
    }
  }

  /// What is wrong in a sentence.
  ///
  /// - Parameters:
  ///   - path: The folder.
  ///   - place: The part of its path that refuses.
  ///   - number: Its `errno`.
  /// - Returns: Such as `state_directory /x: Permission denied: ...`.
  static func text(_ path: String, _ place: String, _ number: Int32) -> String {
    let advice =
      switch number {
      case EACCES, EPERM: "let the user that fixcast runs as write to \(place), or name another"
      case EROFS: "\(place) can only be read here; name another as state_directory below [daemon]"
      default: "name another as state_directory below [daemon]"
      }
    return
      "state_directory \(path): \(String(cString: strerror(number))): answers on who may know, "
      + "weather reports and budgets are not kept; \(advice)"
  }
}
