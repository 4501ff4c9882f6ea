// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Positioning
internal import SystemSupport

/// A file that grows by whole lines, whatever happens to it or to the disk.
///
/// - A line that does not fit is taken back whole.
/// - One that is in the file stays there, also where the disk does not take it for sure.
/// - What a crash left half written is ended, so that the next line is one of its own.
/// - Where somebody has moved or removed the file, as logrotate does, a new one is begun.
/// - Nobody else who writes such files writes it while it is open.
final class LineFile {
  let path: String
  private let rotation: FileRotation
  private let sync: SyncPolicy
  private let now: @Sendable () -> MonotonicTime
  private let flush: @Sendable (Int32) -> Int32
  private var descriptor: Int32 = -1
  private var isUnsynced = false
  private var lastSync: MonotonicTime

  /// Makes a file that is not opened yet.
  init(
    path: String, rotation: FileRotation, sync: SyncPolicy,
    now: @escaping @Sendable () -> MonotonicTime,
    flush: @escaping @Sendable (Int32) -> Int32 = { fdatasync($0) }
  ) {
    self.path = path
    self.rotation = rotation
    self.sync = sync
    self.now = now
    self.flush = flush
    lastSync = now()
  }

  deinit { if descriptor >= 0 { FileLock.close(descriptor) } }

  /// Opens the file, or makes it, readable by its owner only, as it tells where the board was.
  ///
  /// - Throws: Where it cannot be had, or another writes it.
  func open() throws(FileFailure) {
    guard descriptor < 0 else { return }
    descriptor = try FileFailure.check(path, "open") {
      // Not blocking: a pipe's end that nobody reads would hold up everything.
      Glibc.open(
        path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, mode_t(0o600))
    }
    do throws(FileFailure) {
      guard try status().st_mode & S_IFMT == S_IFREG else {
        throw FileFailure(path: path, call: "open", number: EINVAL)
      }
      try FileLock.take(descriptor, path)
      try mend()
    } catch {
      abandon()
      throw error
    }
  }

  /// Appends one or more whole lines: all of the bytes, or none.
  ///
  /// Nobody gives a line a second time, so one that was written is never taken back.
  ///
  /// - Throws: A failure; the next call tries everything anew.
  func append(_ bytes: [UInt8]) throws(FileFailure) {
    if try isElsewhere() { try close() }
    try open()
    if rotation.isDue(size: Int(try status().st_size), adding: bytes.count) {
      try makeRoom()
      try open()
    }
    let size = try status().st_size
    do throws(FileFailure) {
      try AtomicFile.writeAll(bytes, to: descriptor, path: path)
    } catch {
      // Shortening needs no room. Where even that fails, the next opening mends.
      if ftruncate(descriptor, size) != 0 { abandon() }
      throw error
    }
    isUnsynced = true
    let now = now()
    guard sync.isDue(since: lastSync, now: now) else { return }
    lastSync = now
    try synchronize()
  }

  /// Closes the file, with what is in it on the disk where that is wanted at all.
  func close() throws(FileFailure) {
    guard descriptor >= 0 else { return }
    defer { abandon() }
    if sync != .never { try synchronize() }
  }

  /// Moves the file away, which is nobody else's until then, and closes it.
  private func makeRoom() throws(FileFailure) {
    defer { abandon() }
    if sync != .never { try synchronize() }
    try rotation.makeRoom(for: path)
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

  /// Ends a line that a crash left without its end.
  private func mend() throws(FileFailure) {
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

  /// Whether the name leads to another file by now, or to none.
  private func isElsewhere() throws(FileFailure) -> Bool {
    guard descriptor >= 0 else { return false }
    let here = try status()
    var named = stat()
    guard stat(path, &named) == 0 else { return true }
    return named.st_ino != here.st_ino || named.st_dev != here.st_dev
  }
}
