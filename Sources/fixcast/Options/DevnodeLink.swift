// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc

/// A symbolic link that gives a pseudo-terminal a stable name.
struct DevnodeLink {
  let path: String
  private let target: String

  /// Creates the link; replaces a link that an earlier run did not remove.
  ///
  /// Throws if `path` exists and is not a link to a pseudo-terminal.
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
      "simulate: --link \(path): \(reason); choose another path")
  }

  /// Removes the link, unless the link now has another target.
  func remove() {
    guard Self.target(of: path) == target else { return }
    unlink(path)
  }

  /// Returns the target of a symbolic link; `nil` if it cannot be read.
  private static func target(of path: String) -> String? {
    var buffer = [CChar](repeating: 0, count: 4096)
    let count = readlink(path, &buffer, buffer.count)
    let bytes = buffer.prefix(max(0, count)).map { UInt8(bitPattern: $0) }
    return count > 0 ? String(decoding: bytes, as: UTF8.self) : nil
  }
}
