// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Disk space reserved for the next write of a small file, so that the write succeeds on a full
/// disk.
///
/// The blocks are allocated, not written. On a copy-on-write file system, such as ZFS, the
/// reservation is not guaranteed.
package struct ReserveFile {
  package let path: String

  package init(path: String) { self.path = path }

  /// The bytes to reserve in addition to the size of the file; the second number is tried if the
  /// first does not fit.
  private static let spareBytes = [16_384, 4096]

  /// Reserves space for a file of the given size; if the disk is full, a later call tries again.
  package func make(for bytes: Int) {
    for spare in Self.spareBytes where (try? allocate(bytes + spare)) != nil { return }
    // A partial allocation is useless.
    unlink(path)
  }

  /// Writes a file into the reserved space.
  ///
  /// The reserved blocks are overwritten in place, so that no other program can allocate them.
  ///
  /// - Parameters:
  ///   - bytes: The content of the file.
  ///   - other: The path of the file, which must not exist.
  /// - Throws: ``FileFailure``; `ENOENT` if no space is reserved.
  func write(_ bytes: [UInt8], to other: String) throws(FileFailure) {
    try FileFailure.check(path, "rename") { rename(path, other) }
    let descriptor = try open(other, 0)
    defer { close(descriptor) }
    try AtomicFile.writeAll(bytes, to: descriptor, path: other)
    try FileFailure.check(other, "ftruncate") { ftruncate(descriptor, off_t(bytes.count)) }
    try FileFailure.check(other, "fsync") { fsync(descriptor) }
  }

  private func allocate(_ size: Int) throws(FileFailure) {
    let descriptor = try open(path, O_CREAT)
    defer { close(descriptor) }
    var status = stat()
    try FileFailure.check(path, "fstat") { fstat(descriptor, &status) }
    guard status.st_size < size else { return }
    // posix_fallocate returns the error number and does not set errno.
    let number = posix_fallocate(descriptor, 0, off_t(size))
    guard number == 0 else {
      throw FileFailure(path: path, call: "posix_fallocate", number: number)
    }
    try StateFolder.adopt(descriptor, path: path)
  }

  /// Opens a file; fails if it is not regular or has several hard links.
  ///
  /// The check is needed if root writes into a folder of another user, because that user may have
  /// linked any file into the folder.
  private func open(_ path: String, _ flags: Int32) throws(FileFailure) -> Int32 {
    let descriptor = try FileFailure.check(path, "open") {
      Glibc.open(path, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | flags, 0o600)
    }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_nlink == 1
    else {
      close(descriptor)
      throw FileFailure(path: path, call: "open", number: EMLINK)
    }
    return descriptor
  }
}
