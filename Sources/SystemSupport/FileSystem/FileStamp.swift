// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Positioning

/// The inode, size and times of a file; if two stamps differ, the file was changed.
package struct FileStamp: Hashable, Sendable {
  private var path: String
  private var error: Int32 = 0
  /// The values that stat(2) returned; `nil` if it failed.
  private var values: Values?
  /// Whether the path is a symbolic link.
  package private(set) var isLink = false

  private struct Values: Hashable, Sendable {
    var device: Int64 = 0, inode: Int64 = 0
    var size: Int64
    var modifiedSeconds: Int64, modifiedNanoseconds: Int64 = 0
    var changedSeconds: Int64, changedNanoseconds: Int64 = 0
  }

  /// The coarsest time resolution of any file system, in seconds.
  private static let resolutionSeconds: Int64 = 2

  /// Makes a stamp from given values.
  package init(_ path: String, changedAt seconds: Int64, size: Int64) {
    self.path = path
    values = Values(size: size, modifiedSeconds: seconds, changedSeconds: seconds)
  }

  /// Returns whether any change from now on will change the stamp.
  ///
  /// A change within the file system's time resolution may leave the stamp unchanged, if the new
  /// file has the size and the inode number of the old file. Returns true if there is no file.
  package func isSettled(at now: Int64) -> Bool {
    guard let values else { return true }
    // This is also false if the clock was set back, because the clock then repeats earlier times.
    return now > values.changedSeconds + Self.resolutionSeconds
  }

  /// The stamp as a text that can be stored; equal stamps have equal texts.
  package var text: String {
    let numbers =
      values.map {
        [
          $0.device, $0.inode, $0.size, $0.modifiedSeconds, $0.modifiedNanoseconds,
          $0.changedSeconds, $0.changedNanoseconds,
        ]
      } ?? []
    return ([Int64(error)] + numbers).map(String.init).joined(separator: ".")
  }

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
    values = Values(
      device: Int64(truncatingIfNeeded: status.st_dev),
      inode: Int64(truncatingIfNeeded: status.st_ino), size: Int64(status.st_size),
      modifiedSeconds: Int64(status.st_mtim.tv_sec),
      modifiedNanoseconds: Int64(status.st_mtim.tv_nsec),
      changedSeconds: Int64(status.st_ctim.tv_sec),
      changedNanoseconds: Int64(status.st_ctim.tv_nsec))
  }
}
