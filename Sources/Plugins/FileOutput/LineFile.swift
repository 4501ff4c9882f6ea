// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Positioning
internal import SystemSupport

/// A file that contains only whole lines, even after errors and crashes.
///
/// - A line that does not fit on the disk is removed completely.
/// - A completely written line is never removed, even if syncing it to the disk fails.
/// - A line that a crash left incomplete is terminated, so that the next line is separate.
/// - If the file was moved or removed, for example by logrotate, a new file is created.
/// - While the file is open, a lock prevents other Fixcast sinks from writing to it.
final class LineFile {
  let path: String
  private let rotation: FileRotation
  private let sync: SyncPolicy
  private let group: FileGroup?
  private let now: @Sendable () -> MonotonicTime
  private let flush: @Sendable (Int32) -> Int32
  private var descriptor: Int32 = -1
  private var isUnsynced = false
  private var lastSync: MonotonicTime

  /// Creates an instance without opening the file.
  init(
    path: String, rotation: FileRotation, sync: SyncPolicy, group: FileGroup? = nil,
    now: @escaping @Sendable () -> MonotonicTime,
    flush: @escaping @Sendable (Int32) -> Int32 = { fdatasync($0) }
  ) {
    self.path = path
    self.rotation = rotation
    self.sync = sync
    self.group = group
    self.now = now
    self.flush = flush
    lastSync = now()
  }

  deinit { if descriptor >= 0 { FileLock.close(descriptor) } }

  /// Opens or creates the file, readable by its owner and the group only, since it contains
  /// positions.
  ///
  /// - Throws: `FileFailure` if the file cannot be opened or is in use by another sink.
  func open() throws(FileFailure) {
    guard descriptor < 0 else { return }
    descriptor = try FileFailure.check(path, "open") {
      // `O_NONBLOCK`, because opening a pipe without a reader would block forever.
      Glibc.open(
        path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, mode_t(0o600))
    }
    do throws(FileFailure) {
      guard try status().st_mode & S_IFMT == S_IFREG else {
        throw FileFailure(path: path, call: "open", number: EINVAL)
      }
      try FileLock.take(descriptor, path)
      try group?.apply(to: descriptor, path: path)
      try terminateLastLine()
    } catch {
      abandon()
      throw error
    }
  }

  /// Appends one or more whole lines: either all bytes or none.
  ///
  /// If syncing fails, the written lines are kept, because no caller writes them again.
  ///
  /// - Throws: `FileFailure`; the next call reopens the file if necessary.
  func append(_ bytes: [UInt8]) throws(FileFailure) {
    if try hasMoved() { try close() }
    try open()
    if rotation.isDue(size: Int(try status().st_size), adding: bytes.count) {
      try rotate()
      try open()
    }
    let size = try status().st_size
    do throws(FileFailure) {
      try AtomicFile.writeAll(bytes, to: descriptor, path: path)
    } catch {
      // Truncating needs no disk space. If truncating fails too, `open` repairs the file later.
      if ftruncate(descriptor, size) != 0 { abandon() }
      throw error
    }
    isUnsynced = true
    let now = now()
    guard sync.isDue(since: lastSync, now: now) else { return }
    lastSync = now
    try synchronize()
  }

  /// Closes the file, and syncs it to the disk unless the policy is `never`.
  func close() throws(FileFailure) {
    guard descriptor >= 0 else { return }
    defer { abandon() }
    if sync != .never { try synchronize() }
  }

  /// Rotates the file while it is still locked, and closes it.
  private func rotate() throws(FileFailure) {
    defer { abandon() }
    if sync != .never { try synchronize() }
    try rotation.rotate(for: path)
  }

  private func abandon() {
    if descriptor >= 0 { FileLock.close(descriptor) }
    descriptor = -1
    isUnsynced = false
  }

  private func synchronize() throws(FileFailure) {
    guard isUnsynced else { return }
    isUnsynced = false
    let descriptor = descriptor
    try FileFailure.check(path, "fsync") { flush(descriptor) }
  }

  /// Terminates a line that a crash left incomplete.
  private func terminateLastLine() throws(FileFailure) {
    let size = try status().st_size
    guard size > 0 else { return }
    let descriptor = descriptor
    var last: UInt8 = 0
    let count = try FileFailure.check(path, "read") { pread(descriptor, &last, 1, size - 1) }
    guard count == 1, last != UInt8(ascii: "\n") else { return }
    try AtomicFile.writeAll([UInt8(ascii: "\n")], to: descriptor, path: path)
  }

  private func status() throws(FileFailure) -> stat {
    let descriptor = descriptor
    var status = stat()
    try FileFailure.check(path, "fstat") { fstat(descriptor, &status) }
    return status
  }

  /// Whether the path now leads to another file or to no file.
  private func hasMoved() throws(FileFailure) -> Bool {
    guard descriptor >= 0 else { return false }
    let ownStatus = try status()
    var pathStatus = stat()
    guard stat(path, &pathStatus) == 0 else { return true }
    return pathStatus.st_ino != ownStatus.st_ino || pathStatus.st_dev != ownStatus.st_dev
  }
}
