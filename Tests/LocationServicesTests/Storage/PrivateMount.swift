// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Glibc

/// A file system that is visible only to one thread and its child processes.
enum PrivateMount {
  /// Whether this process can create a private mount.
  static let isPermitted: Bool = geteuid() == 0 && with("/mnt", "size=16k") {} != nil

  /// Runs a closure on a thread for which a small empty disk is mounted at a folder.
  ///
  /// - Parameters:
  ///   - folder: The folder.
  ///   - options: The mount options of tmpfs(5), such as `size=16k`.
  ///   - body: The closure.
  /// - Returns: The result of the closure; `nil` if the mount failed.
  static func with<Value: Sendable>(
    _ folder: String, _ options: String, _ body: @escaping @Sendable () -> Value
  ) -> Value? {
    onNewThread { mountPrivately(folder, options) ? body() : nil } ?? nil
  }

  /// Makes the disk at a folder read-only, until ``uncover(_:)``.
  ///
  /// Mounts the disk a second time, because a remount fails while a process has a file open for
  /// writing. A process that another test starts at the same time has all files of this process
  /// open until it executes its program.
  static func coverReadOnly(_ folder: String) -> Bool {
    let (isReadOnly, remounts, binds): (UInt, UInt, UInt) = (1, 32, 4096)
    return mount(folder, folder, nil, binds, nil) == 0
      && mount(nil, folder, nil, remounts | binds | isReadOnly, nil) == 0
  }

  /// Makes the disk at a folder writable again.
  static func uncover(_ folder: String) -> Bool { umount2(folder, Int32(MNT_DETACH)) == 0 }

  /// Gives the thread its own mounts, and mounts the disk.
  private static func mountPrivately(_ folder: String, _ options: String) -> Bool {
    let (newMounts, isPrivate, recursively): (Int32, UInt, UInt) = (0x2_0000, 1 << 18, 1 << 14)
    return callSystem("unshare", [newMounts]) == 0
      && mount(nil, "/", nil, isPrivate | recursively, nil) == 0
      && mount("none", folder, "tmpfs", 0, options) == 0
  }
}
