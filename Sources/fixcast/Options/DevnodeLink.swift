// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc

/// A symbolic link with a steady name to a pseudo-terminal whose number is never the same.
struct DevnodeLink {
  let path: String
  private let target: String

  /// Makes the link, in place of one that an earlier run left behind.
  ///
  /// Anything but a link to a pseudo-terminal is somebody else's, and left alone.
  init(at path: String, to target: String) throws {
    self.path = path
    self.target = target
    if symlink(target, path) == 0 { return }
    let reason = Descriptor.text(of: errno)
    if errno == EEXIST, Self.target(of: path)?.hasPrefix("/dev/pts/") == true,
      unlink(path) == 0, symlink(target, path) == 0
    {
      return
    }
    throw CommandFailure.usage(
      "simulate: --link \(path): \(reason); choose a path that is free")
  }

  /// Removes the link, unless it is somebody else's by now.
  func remove() {
    guard Self.target(of: path) == target else { return }
    unlink(path)
  }

  /// Where a symbolic link points; `nil` where there is none.
  private static func target(of path: String) -> String? {
    var buffer = [CChar](repeating: 0, count: 4096)
    let count = readlink(path, &buffer, buffer.count)
    let found = buffer.prefix(max(0, count)).map { UInt8(bitPattern: $0) }
    return count > 0 ? String(decoding: found, as: UTF8.self) : nil
  }
}
