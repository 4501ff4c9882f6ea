// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Replaces a file atomically and durably: after a crash, the file is either old or new.
package enum AtomicFile {
  /// Replaces a file, with permissions for its owner only.
  ///
  /// Only one process may write to a path at a time. Throws ``FileFailure`` and leaves the old file
  /// unchanged if writing fails.
  package static func write(
    _ bytes: [UInt8], to path: String, reserve: ReserveFile? = nil
  ) throws(FileFailure) {
    let next = path + ".new"
    // A previous run may have been killed before the rename.
    unlink(next)
    do throws(FileFailure) {
      try fill(next, bytes, reserve)
      try FileFailure.check(path, "rename") { rename(next, path) }
    } catch {
      unlink(next)
      throw error
    }
    try syncFolder(StateFolder.parent(of: path))
  }

  /// Renames a file durably; an existing file with the new name is replaced.
  package static func move(_ path: String, to other: String) throws(FileFailure) {
    try FileFailure.check(path, "rename") { rename(path, other) }
    try syncFolder(StateFolder.parent(of: other))
  }

  /// Writes the entries of a folder to disk.
  private static func syncFolder(_ folder: String) throws(FileFailure) {
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
        // If there is no reserve, the error of the full disk is thrown.
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

  /// Writes all bytes to a blocking descriptor.
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
