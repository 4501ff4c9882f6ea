// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// What changes with a file, so that two looks at it tell whether it was written in between.
package struct FileStamp: Hashable, Sendable {
  private var path: String
  private var error: Int32 = 0
  private var numbers: [Int64] = []
  /// Whether it is a symbolic link.
  package private(set) var isLink = false

  /// Looks at a file; one that cannot be looked at has a stamp too: why.
  ///
  /// - Parameter path: The file.
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
