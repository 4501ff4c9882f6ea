// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Replaces a file by another in one step, on the disk too.
package enum AtomicFile {
  /// Writes a file that only its owner may read.
  ///
  /// Only one program may do this at a time.
  ///
  /// Throws ``FileFailure``; what was there is there still.
  package static func write(
    _ bytes: [UInt8], to path: String, reserve: ReserveFile? = nil
  ) throws(FileFailure) {
    let next = path + ".new"
    // A run that was cut off may have left one behind.
    unlink(next)
    do throws(FileFailure) {
      try fill(next, bytes, reserve)
      try FileFailure.check(path, "rename") { rename(next, path) }
    } catch {
      unlink(next)
      throw error
    }
    try settle(StateFolder.parent(of: path))
  }

  /// Gives a file another name, on the disk too; what has that name is replaced.
  package static func move(_ path: String, to other: String) throws(FileFailure) {
    try FileFailure.check(path, "rename") { rename(path, other) }
    try settle(StateFolder.parent(of: other))
  }

  /// Puts the names in a folder on the disk.
  private static func settle(_ folder: String) throws(FileFailure) {
    let descriptor = try FileFailure.check(folder, "open") {
      open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    }
    defer { close(descriptor) }
    try FileFailure.check(folder, "fsync") { fsync(descriptor) }
  }

  private static func fill(
    _ path: String, _ bytes: [UInt8], _ reserve: ReserveFile?
  ) throws(FileFailure) {
    do throws(FileFailure) { try fill(path, bytes) } catch {
      guard let reserve, error.isDiskFull else { throw error }
      unlink(path)
      do throws(FileFailure) { try reserve.write(bytes, to: path) } catch let second {
        // Reports the full disk and not the missing reserve.
        throw second.isMissing ? error : second
      }
    }
  }

  private static func fill(_ path: String, _ bytes: [UInt8]) throws(FileFailure) {
    let descriptor = try FileFailure.check(path, "open") {
      open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    }
    defer { close(descriptor) }
    try StateFolder.adopt(descriptor, path: path)
    try writeAll(bytes, to: descriptor, path: path)
    try FileFailure.check(path, "fsync") { fsync(descriptor) }
  }

  /// Writes all of the bytes to a descriptor that waits.
  package static func writeAll(
    _ bytes: [UInt8], to descriptor: Int32, path: String
  ) throws(FileFailure) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = try FileFailure.check(path, "write") {
        rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      }
      guard count > 0 else { throw FileFailure(path: path, call: "write", number: ENOSPC) }
      rest = rest.dropFirst(count)
    }
  }
}
