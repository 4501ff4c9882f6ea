// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The identity of an open device or file, independent of its path and of containers.
///
/// Paths are not unique: each container has a `/dev/pts/0`, and may name a port differently.
struct OpenDevice: Hashable {
  /// The device number; 0 for a file.
  private var number: UInt64 = 0
  /// The file system of a file or pseudo-terminal; 0 for other devices.
  private var fileSystem: UInt64 = 0
  /// The inode of a file; 0 for a device.
  private var node: UInt64 = 0

  /// The major numbers of the slave ends of pseudo-terminals.
  private static let terminals: ClosedRange<UInt64> = 136...143

  init(_ status: stat) {
    guard status.st_mode & S_IFMT == S_IFCHR else {
      (fileSystem, node) = (UInt64(status.st_dev), UInt64(status.st_ino))
      return
    }
    number = UInt64(status.st_rdev)
    // Each devpts file system numbers its pseudo-terminals from 0.
    if Self.terminals.contains(major) { fileSystem = UInt64(status.st_dev) }
  }

  /// Makes the identity of the target of a link in /proc; `nil` if the target cannot be read.
  init?(descriptor path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    self.init(status)
  }

  /// The number of a pseudo-terminal in its file system; `nil` for other devices.
  var terminalIndex: Int? {
    guard Self.terminals.contains(major) else { return nil }
    return Int((major - Self.terminals.lowerBound) << 8 | minor & 0xFF)
  }

  /// Returns the major number of a device, which identifies its driver; `nil` if there is no device.
  static func majorNumber(of devnode: String) -> UInt64? {
    var status = stat()
    guard stat(devnode, &status) == 0, status.st_mode & S_IFMT == S_IFCHR else { return nil }
    return OpenDevice(status).major
  }

  // The inverse of makedev(3).
  private var major: UInt64 { number >> 8 & 0xFFF | number >> 32 & ~0xFFF }
  private var minor: UInt64 { number & 0xFF | number >> 12 & ~0xFF }
}
