// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// A damaged database that was moved out of the way, for whoever can get something out of it.
///
/// The newest is called as the database with `.damaged` behind it, those before it `.damaged.1` and
/// so on. A disk that damages one file after another must not be filled with them: the oldest goes
/// where there are too many, and that is told.
package struct DamagedFile: Equatable, Sendable, CustomStringConvertible {
  /// How many are kept of one database.
  package static let maxKept = 3

  /// Where it is.
  package let path: String
  /// How many that were set aside before are gone for it: 0 or 1.
  package let removedCount: Int

  /// What is put behind the name of the database, the newest first.
  static let suffixes = (0..<maxKept).map { $0 == 0 ? ".damaged" : ".damaged.\($0)" }
  /// What is put behind the name of any of them, for its log and what is shared of it.
  static let logs = ["-wal", "-shm"]

  /// Where it is, and what is gone for it.
  package var description: String {
    "set aside as \(path)"
      + (removedCount > 0 ? ", for which the oldest of \(Self.maxKept) such is gone" : "")
  }

  init(settingAside database: String) throws(SQLiteError) {
    let places = Self.suffixes.map { database + $0 }
    var status = stat()
    // Nothing goes for what is not there. A link counts, wherever it leads.
    guard lstat(database, &status) == 0 else { throw Self.failure(database) }
    let free = places.firstIndex { lstat($0, &status) != 0 && errno == ENOENT }
    removedCount = free == nil ? 1 : 0
    for index in (0..<(free ?? places.count - 1)).reversed() {
      try Self.move(places[index], to: places[index + 1])
    }
    path = places[0]
    try Self.move(database, to: path)
  }

  /// Gives a file and its log another name; what is called so already is replaced.
  private static func move(_ path: String, to other: String) throws(SQLiteError) {
    guard rename(path, other) == 0 else { throw failure(path) }
    // The log belongs to the file that is gone; with a new file it would be damage itself.
    for suffix in logs where rename(path + suffix, other + suffix) != 0 {
      unlink(path + suffix)
      unlink(other + suffix)
    }
  }

  private static func failure(_ path: String) -> SQLiteError {
    .unusable(path: path, reason: "cannot be set aside: \(String(cString: strerror(errno)))")
  }
}
