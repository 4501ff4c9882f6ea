// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Room on the disk that is kept for the next write of a small file, so that a full disk does not
/// prevent it.
///
/// The blocks are allocated, not written. A file system that copies on write, such as ZFS, promises
/// less.
package struct ReserveFile {
  package let path: String

  package init(path: String) { self.path = path }

  /// How much more than the file's present size is kept, most first.
  private static let spareBytes = [16_384, 4096]

  /// Makes the room, where it is not there; without room for that the next call tries again.
  package func make(for bytes: Int) {
    for spare in Self.spareBytes where (try? allocate(bytes + spare)) != nil { return }
    // What was allocated in part helps nobody.
    unlink(path)
  }

  /// Gives the room to a file: its blocks are overwritten, so nobody else can take them meanwhile.
  ///
  /// - Parameters:
  ///   - bytes: What is to be in the file.
  ///   - other: The path of the file, which must not exist.
  /// - Throws: ``FileFailure``; `ENOENT` where no room was kept.
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
    // Gives the error instead of setting errno.
    let number = posix_fallocate(descriptor, 0, off_t(size))
    guard number == 0 else {
      throw FileFailure(path: path, call: "posix_fallocate", number: number)
    }
    try StateFolder.adopt(descriptor, path: path)
  }

  /// Opens a plain file that has no second name: the folder's owner may be another than root, who
  /// writes here.
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
