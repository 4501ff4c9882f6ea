// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// A damaged database that was renamed, so that data can be recovered from it.
///
/// The newest file has the name of the database with the suffix `.damaged`, older files have the
/// suffixes `.damaged.1` and so on. The number of files is limited: if the oldest file is removed,
/// ``description`` says so.
package struct DamagedFile: Equatable, Sendable, CustomStringConvertible {
  /// The maximum number of damaged files of one database.
  package static let maxKept = 3

  /// The new path of the file.
  package let path: String
  /// The number of older damaged files that were removed: 0 or 1.
  package let removedCount: Int

  /// The suffixes of the damaged files, the newest first.
  static let suffixes = (0..<maxKept).map { $0 == 0 ? ".damaged" : ".damaged.\($0)" }
  /// The suffixes of the write-ahead log and the shared-memory file.
  static let logSuffixes = ["-wal", "-shm"]

  /// The new path, and whether an older file was removed.
  package var description: String {
    "set aside as \(path)"
      + (removedCount > 0 ? "; removed the oldest of \(Self.maxKept) damaged files" : "")
  }

  init(settingAside database: String) throws(SQLiteError) {
    let paths = Self.suffixes.map { database + $0 }
    var status = stat()
    // If the database does not exist, no file is removed. A broken link is treated as an existing
    // database.
    guard lstat(database, &status) == 0 else { throw Self.failure(database) }
    let freeIndex = paths.firstIndex { lstat($0, &status) != 0 && errno == ENOENT }
    removedCount = freeIndex == nil ? 1 : 0
    for index in (0..<(freeIndex ?? paths.count - 1)).reversed() {
      try Self.move(paths[index], to: paths[index + 1])
    }
    path = paths[0]
    try Self.move(database, to: path)
  }

  /// Renames a file and its log; existing files with the new names are replaced.
  private static func move(_ path: String, to other: String) throws(SQLiteError) {
    guard rename(path, other) == 0 else { throw failure(path) }
    // A log that cannot be renamed is deleted, because it would damage a new database with the old
    // name.
    for suffix in logSuffixes where rename(path + suffix, other + suffix) != 0 {
      unlink(path + suffix)
      unlink(other + suffix)
    }
  }

  private static func failure(_ path: String) -> SQLiteError {
    .unusable(path: path, reason: "cannot be set aside: \(String(cString: strerror(errno)))")
  }
}
