// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Positioning
internal import SystemSupport

/// A file that contains only whole lines, even after errors and crashes.
///
/// - A line that does not fit on the disk is removed completely.
/// - A completely written line is never removed, even if syncing it to the disk fails.
/// - A line that a crash or a power cut left incomplete is removed.
/// - If the file was moved, removed or truncated, for example by logrotate, writing continues in the
///   file at the path.
/// - While the file is open, a lock prevents other Fixcast sinks from writing to it.
final class LineFile {
  let path: String
  private let rotation: FileRotation
  private let sync: SyncPolicy
  private let group: FileGroup?
  private let now: @Sendable () -> MonotonicTime
  private let flush: @Sendable (Int32) -> Int32
  private let warn: @Sendable (String) -> Void
  private var descriptor: Int32 = -1
  /// The open file; `nil` while no file is open.
  private var held: HeldFile?
  private var isUnsynced = false
  private var lastSync: MonotonicTime

  /// Creates an instance without opening the file; `warn` logs what happened to the file.
  init(
    path: String, rotation: FileRotation, sync: SyncPolicy, group: FileGroup? = nil,
    now: @escaping @Sendable () -> MonotonicTime,
    flush: @escaping @Sendable (Int32) -> Int32 = { fdatasync($0) },
    warn: @escaping @Sendable (String) -> Void = { _ in }
  ) {
    self.path = path
    self.rotation = rotation
    self.sync = sync
    self.group = group
    self.now = now
    self.flush = flush
    self.warn = warn
    lastSync = now()
  }

  deinit { if descriptor >= 0 { FileLock.close(descriptor) } }

  /// Opens or creates the file, readable by its owner and the group only, since it contains
  /// positions.
  ///
  /// - Throws: `FileFailure` if the file cannot be opened or is in use by another sink.
  func open() throws(FileFailure) { try open(isAnnounced: false) }

  /// Opens or creates the file; `isAnnounced` if a warning about it is already logged.
  private func open(isAnnounced: Bool) throws(FileFailure) {
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
      let removedCount = try removeIncompleteLine()
      held = HeldFile(path, try status())
      if !isAnnounced, removedCount > 0 {
        warn("\(path): removed an incomplete line of \(removedCount) bytes at the end")
      }
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
    try reopenIfChanged()
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
    held?.size = Int64(size) + Int64(bytes.count)
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
    held = nil
    isUnsynced = false
  }

  private func synchronize() throws(FileFailure) {
    guard isUnsynced else { return }
    isUnsynced = false
    let descriptor = descriptor
    try FileFailure.check(path, "fsync") { flush(descriptor) }
  }

  /// Removes a line that a crash or a power cut left incomplete, and returns its number of bytes.
  ///
  /// A last line of another program is not removed, but terminated.
  private func removeIncompleteLine() throws(FileFailure) -> Int {
    let size = Int(try status().st_size)
    let newline = UInt8(ascii: "\n")
    let end = try FileTail.end(descriptor, path, size: size) { $0 == newline }
    guard end < size else { return 0 }
    let begin = try FileTail.read(descriptor, path, rotation.signature.count, end)
    guard rotation.signature.starts(with: begin.prefix { $0 != 0 }) else {
      try AtomicFile.writeAll([newline], to: descriptor, path: path)
      return 0
    }
    let descriptor = descriptor
    try FileFailure.check(path, "ftruncate") { ftruncate(descriptor, off_t(end)) }
    return size - end
  }

  private func status() throws(FileFailure) -> stat {
    let descriptor = descriptor
    var status = stat()
    try FileFailure.check(path, "fstat") { fstat(descriptor, &status) }
    return status
  }

  /// Opens the file at the path if another program moved, removed or truncated the open file.
  private func reopenIfChanged() throws(FileFailure) {
    guard let change = held?.change() else { return }
    // Before the file is opened, because a failure ends this instance of the sink.
    warn(change.message(for: path))
    guard change != .madeReadOnly else { return }
    try close()
    try open(isAnnounced: true)
  }
}
