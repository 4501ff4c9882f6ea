// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc
import SystemSupport

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
    if errno == EEXIST, SymbolicLink.target(of: path)?.hasPrefix("/dev/pts/") == true,
      unlink(path) == 0, symlink(target, path) == 0
    {
      return
    }
    throw CommandFailure.usage(
      "simulate: --link \(path): \(reason); choose another path")
  }

  /// Removes the link, unless the link now has another target.
  func remove() {
    guard SymbolicLink.target(of: path) == target else { return }
    unlink(path)
  }
}
