// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Positioning

/// What changes with a file, so that two looks at it tell whether it was written in between.
package struct FileStamp: Hashable, Sendable {
  private var path: String
  private var error: Int32 = 0
  private var numbers: [Int64] = []
  /// Whether it is a symbolic link.
  package private(set) var isLink = false

  /// Longer than the moments that any file system tells apart, in seconds.
  private static let momentSeconds: Int64 = 2

  /// Names a stamp.
  package init(_ path: String, changedAt seconds: Int64, size: Int64) {
    self.path = path
    numbers = [0, 0, size, seconds, 0, seconds, 0]
  }

  /// Whether a write from now on would show.
  ///
  /// One within the same moment as the last does not, where the new file has the size and the place
  /// of one that was just taken away.
  ///
  /// Returns true where there is no file.
  package func isSettled(at now: Int64) -> Bool {
    guard let changed = numbers.dropFirst(5).first else { return true }
    // A clock that was set back stamps again what it has stamped.
    return now > changed + Self.momentSeconds
  }

  /// The clock that files are stamped by, in seconds since 1970.
  package static func now() -> Int64 {
    SystemClock.utcNow().secondsSince1970
  }

  /// Looks at a file; one that cannot be looked at has a stamp too: why.
  package init(_ path: String) {
    self.path = path
    var status = stat()
    if lstat(path, &status) == 0 { isLink = status.st_mode & S_IFMT == S_IFLNK }
    guard stat(path, &status) == 0 else {
      error = errno
      return
    }
    numbers = [
      Int64(truncatingIfNeeded: status.st_dev), Int64(truncatingIfNeeded: status.st_ino),
      Int64(status.st_size), Int64(status.st_mtim.tv_sec), Int64(status.st_mtim.tv_nsec),
      Int64(status.st_ctim.tv_sec), Int64(status.st_ctim.tv_nsec),
    ]
  }
}
