// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Positioning

/// The inode, size and times of a file; if two stamps differ, the file was changed.
package struct FileStamp: Hashable, Sendable {
  private var path: String
  private var error: Int32 = 0
  /// Device, inode, size, and the times of modification and change; empty if there is no file.
  private var numbers: [Int64] = []
  /// Whether the path is a symbolic link.
  package private(set) var isLink = false

  /// The coarsest time resolution of any file system, in seconds.
  private static let resolutionSeconds: Int64 = 2

  /// Makes a stamp from given values.
  package init(_ path: String, changedAt seconds: Int64, size: Int64) {
    self.path = path
    numbers = [0, 0, size, seconds, 0, seconds, 0]
  }

  /// Returns whether any change from now on will change the stamp.
  ///
  /// A change within the file system's time resolution may leave the stamp unchanged, if the new
  /// file has the size and the inode number of the old file. Returns true if there is no file.
  package func isSettled(at now: Int64) -> Bool {
    guard let changed = numbers.dropFirst(5).first else { return true }
    // This is also false if the clock was set back, because the clock then repeats earlier times.
    return now > changed + Self.resolutionSeconds
  }

  /// The stamp as a text that can be stored; equal stamps have equal texts.
  package var text: String { ([Int64(error)] + numbers).map(String.init).joined(separator: ".") }

  /// Returns the time of the clock used for file times, in seconds since 1970.
  package static func now() -> Int64 {
    SystemClock.utcNow().secondsSince1970
  }

  /// Reads the stamp of a file; if that fails, the stamp contains the error number.
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
