// SPDX-License-Identifier: Apache-2.0

import Glibc

/// What tells one device or file from every other, by whatever name and in whatever container.
///
/// Names do not: each container has a `/dev/pts/0` of its own, and may call a port as it likes.
struct OpenDevice: Hashable {
  /// The device's number; 0 where it is none.
  private var number: UInt64 = 0
  /// Of which file system it is, where its number says nothing beyond that.
  private var fileSystem: UInt64 = 0
  /// Which file it is there, where it is no device.
  private var node: UInt64 = 0

  /// The major numbers of the pseudo-terminals' ends that programs open by name.
  private static let terminals: ClosedRange<UInt64> = 136...143

  /// Takes what `stat` says.
  init(_ status: stat) {
    guard status.st_mode & S_IFMT == S_IFCHR else {
      (fileSystem, node) = (UInt64(status.st_dev), UInt64(status.st_ino))
      return
    }
    number = UInt64(status.st_rdev)
    // They are counted from 0 in each of their file systems.
    if Self.terminals.contains(major) { fileSystem = UInt64(status.st_dev) }
  }

  /// The device that a link of /proc leads to; `nil` where that cannot be seen.
  init?(descriptor path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    self.init(status)
  }

  /// The pseudo-terminal's number in its file system; `nil` for what is none.
  var terminalIndex: Int? {
    guard Self.terminals.contains(major) else { return nil }
    return Int((major - Self.terminals.lowerBound) << 8 | minor & 0xFF)
  }

  // As makedev(3) puts them together.
  private var major: UInt64 { number >> 8 & 0xFFF | number >> 32 & ~0xFFF }
  private var minor: UInt64 { number & 0xFF | number >> 12 & ~0xFF }
}
