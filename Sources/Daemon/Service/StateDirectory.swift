// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import SQLiteStore

/// The directory for state that must survive a restart of the daemon.
struct StateDirectory: Sendable {
  let path: String

  /// The reason why state cannot be saved in this directory, and the correction; `nil` if state can
  /// be saved.
  ///
  /// Checked at each access, since a disk may become read-only while the daemon runs.
  var fault: String? {
    var (folder, status) = (path, stat())
    // A missing directory is created on demand, so check its nearest existing parent.
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
      "weather store \(store): \($0); then restart fixcast: "
        + "until then, reports and request counts are not saved"
    }
  }

  /// Describes a problem and its correction.
  ///
  /// - Parameters:
  ///   - path: The directory.
  ///   - place: The folder or file that cannot be used: the directory itself or a parent.
  ///   - number: The `errno` of the failed access.
  /// - Returns: A text such as `state_directory /x: Permission denied: ...`.
  static func text(_ path: String, _ place: String, _ number: Int32) -> String {
    let advice =
      switch number {
      case EACCES, EPERM:
        "let the user that fixcast runs as write to \(place), or set another state_directory"
      case EROFS: "\(place) is read-only; set another state_directory below [daemon]"
      default: "set another state_directory below [daemon]"
      }
    return
      "state_directory \(path): \(String(cString: strerror(number))): authorization decisions, "
      + "weather reports and request counts are not saved; \(advice)"
  }
}
