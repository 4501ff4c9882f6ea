// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import SystemSupport

/// A GPX file that grows point by point and is well-formed at every moment.
///
/// While the file is open, a lock prevents other Fixcast sinks from writing to it. Two writers
/// would overwrite each other's points, because each writer remembers its own end of the file.
final class GPXFile {
  /// The end of an existing file.
  private struct Tail {
    /// The offset at which the track continues: of the closing tags, of the end of the header, or 0.
    var offset: Int
    /// The number of bytes that are removed, since a crash or a power cut left them incomplete.
    var removedCount = 0
  }

  let path: String
  /// A message for the log about an incomplete end that was removed; `nil` if the file was intact.
  private(set) var notice: String?
  private let descriptor: Int32
  private var held: HeldFile
  /// The offset of the closing tags.
  private var end: Int
  /// The offset of the closing tags before the last addition; `nil` if the last addition created
  /// the file.
  private var previousEnd: Int?
  private var isUnsynced = false

  private init(path: String, descriptor: Int32, end: Int) throws(FileFailure) {
    self.path = path
    self.descriptor = descriptor
    self.end = end
    do throws(FileFailure) { held = HeldFile(path, try Self.status(descriptor, path)) } catch {
      FileLock.close(descriptor)
      throw error
    }
  }

  deinit { FileLock.close(descriptor) }

  /// Opens an existing file written by Fixcast, or creates a file, and writes the first point.
  ///
  /// An incomplete end of the file is removed, and an empty file is filled. An existing file that
  /// another program wrote, or that is damaged beyond repair, is not changed. In this case, a number is
  /// added to the name of the new file.
  ///
  /// - Throws: `FileFailure` if the file cannot be written or is in use by another sink.
  static func open(
    _ path: String, track: String, point: String, group: FileGroup? = nil
  ) throws(FileFailure) -> GPXFile {
    for number in 1...99 {
      let name = number == 1 ? path : numbered(path, number)
      let descriptor = Glibc.open(name, O_RDWR | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
      if descriptor < 0 {
        guard errno == ENOENT else {
          throw FileFailure(path: name, call: "open", number: errno)
        }
        return try make(name, track + point, group)
      }
      let found: Tail?
      do throws(FileFailure) { found = try lockedTail(descriptor, name) } catch {
        FileLock.close(descriptor)
        throw error
      }
      guard let tail = found else {
        FileLock.close(descriptor)
        continue
      }
      let file = try GPXFile(path: name, descriptor: descriptor, end: tail.offset)
      try group?.apply(to: descriptor, path: name)
      try file.resume(tail, track + point)
      return file
    }
    throw FileFailure(path: path, call: "open", number: EEXIST)
  }

  /// Returns the size of the file in bytes after an addition.
  func size(adding text: String) -> Int {
    GPXTail.writes(adding: Array(text.utf8), at: end).writes.map(\.end).max() ?? end
  }

  /// Removes a file written by Fixcast; ignores other files.
  static func remove(_ path: String) throws(FileFailure) {
    let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
    guard descriptor >= 0 else { return }
    defer { FileLock.close(descriptor) }
    guard let tail = try lockedTail(descriptor, path), tail.offset > 0 else { return }
    try FileFailure.check(path, "unlink") { unlink(path) }
  }

  /// Returns what another program did to the file; `nil` for nothing.
  func change() -> HeldFile.Change? { held.change() }

  /// Inserts text before the closing tags; after an error, nothing has been inserted.
  func append(_ text: String) throws(FileFailure) {
    let (writes, next) = GPXTail.writes(adding: Array(text.utf8), at: end)
    do throws(FileFailure) {
      for write in writes { try put(write) }
    } catch {
      try? restore()
      throw error
    }
    // A file that was empty has no earlier end.
    previousEnd = end > 0 ? end : nil
    end = next
    held.size = max(held.size, Int64(writes.map(\.end).max() ?? 0))
    isUnsynced = true
  }

  /// Adds a track with its first point to an existing file.
  private func resume(_ tail: Tail, _ track: String) throws(FileFailure) {
    switch tail.offset {
    case 0, GPXText.header.utf8.count:
      // There is no track whose end could be restored.
      let descriptor = descriptor
      try FileFailure.check(path, "ftruncate") { ftruncate(descriptor, off_t(tail.offset)) }
      held.size = Int64(tail.offset)
      try append((tail.offset == 0 ? GPXText.header : "") + track)
    default:
      try restore()
      try append(GPXText.endOfTrack + track)
    }
    if tail.removedCount > 0 {
      notice = "\(path): removed an incomplete end of \(tail.removedCount) bytes"
    }
  }

  /// Removes the last addition; ignores errors.
  func removeLastAddition() {
    guard let previousEnd else {
      unlink(path)
      return
    }
    end = previousEnd
    try? restore()
  }

  /// Syncs the file to the disk.
  func synchronize() throws(FileFailure) {
    guard isUnsynced else { return }
    isUnsynced = false
    let descriptor = descriptor
    try FileFailure.check(path, "fsync") { fdatasync(descriptor) }
  }

  /// Restores the end of the file; needs no additional disk space.
  private func restore() throws(FileFailure) {
    let write = GPXTail.Write(offset: end, bytes: Array(GPXText.closing.utf8))
    try put(write)
    let descriptor = descriptor
    try FileFailure.check(path, "ftruncate") { ftruncate(descriptor, off_t(write.end)) }
    held.size = Int64(write.end)
  }

  private func put(_ write: GPXTail.Write) throws(FileFailure) {
    let descriptor = descriptor
    let count = try FileFailure.check(path, "write") {
      write.bytes.withUnsafeBytes {
        pwrite(descriptor, $0.baseAddress, $0.count, off_t(write.offset))
      }
    }
    guard count == write.bytes.count else {
      throw FileFailure(path: path, call: "write", number: ENOSPC)
    }
  }

  /// Creates a file under a temporary name, and renames it when it is complete.
  private static func make(
    _ path: String, _ text: String, _ group: FileGroup?
  ) throws(FileFailure) -> GPXFile {
    let next = path + ".new"
    if try isOwnRemnant(next) { unlink(next) }
    let head = Array((GPXText.header + text).utf8)
    let descriptor = try FileFailure.check(path, "open") {
      Glibc.open(next, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode_t(0o600))
    }
    do throws(FileFailure) {
      let file = try GPXFile(path: path, descriptor: descriptor, end: head.count)
      // Lock the file before the rename, so that no other process can lock it first.
      try FileLock.take(descriptor, path)
      try group?.apply(to: descriptor, path: path)
      try AtomicFile.writeAll(head + Array(GPXText.closing.utf8), to: descriptor, path: path)
      try FileFailure.check(path, "rename") { rename(next, path) }
      file.held.size = Int64(head.count + GPXText.closing.utf8.count)
      file.isUnsynced = true
      return file
    } catch {
      unlink(next)
      throw error
    }
  }

  /// Whether this is an incomplete file that a killed Fixcast process has left behind.
  ///
  /// The caller removes only such a file. Any other file at this path makes the creation fail.
  ///
  /// - Throws: `FileFailure` if another sink is creating the file at the moment.
  private static func isOwnRemnant(_ path: String) throws(FileFailure) -> Bool {
    let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY | O_NONBLOCK)
    guard descriptor >= 0 else { return false }
    defer { FileLock.close(descriptor) }
    var status = stat()
    let header = Array(GPXText.header.utf8)
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
      let begin = try? FileTail.read(descriptor, path, header.count, 0), header.starts(with: begin)
    else { return false }
    try FileLock.take(descriptor, path)
    return true
  }

  /// Locks a file written by Fixcast or an empty file, and finds its end.
  ///
  /// Returns `nil` for other files and for files that are damaged beyond repair.
  private static func lockedTail(_ descriptor: Int32, _ path: String) throws(FileFailure) -> Tail? {
    let header = Array(GPXText.header.utf8)
    let mode = try status(descriptor, path).st_mode
    // Lock the file before reading its end, because another sink may be appending points.
    let begin = try FileTail.read(descriptor, path, header.count, 0).prefix { $0 != 0 }
    guard mode & S_IFMT == S_IFREG, header.starts(with: begin) else { return nil }
    try FileLock.take(descriptor, path)
    let size = Int(try status(descriptor, path).st_size)
    let dataEnd = try FileTail.end(descriptor, path, size: size) { $0 != 0 }
    guard begin.count == header.count else {
      return dataEnd == begin.count ? Tail(offset: 0, removedCount: size) : nil
    }
    let start = max(dataEnd - 2 * GPXTail.pageSize, header.count)
    let bytes = try FileTail.read(descriptor, path, dataEnd - start, start)
    guard let found = GPXTail.resumption(in: bytes) else {
      // The file may end before its first point.
      return start == header.count && bytes.starts(with: "<trk>".utf8.prefix(bytes.count))
        ? Tail(offset: start, removedCount: size - start) : nil
    }
    let isClosed = bytes.dropFirst(found).starts(with: GPXText.closing.utf8.dropLast())
    let removedCount = isClosed ? size - dataEnd : size - start - found
    return Tail(offset: start + found, removedCount: removedCount)
  }

  private static func status(_ descriptor: Int32, _ path: String) throws(FileFailure) -> stat {
    var status = stat()
    try FileFailure.check(path, "fstat") { fstat(descriptor, &status) }
    return status
  }

  /// Adds a number to a path: `track.gpx` becomes `track-2.gpx`.
  private static func numbered(_ path: String, _ number: Int) -> String {
    path.hasSuffix(".gpx") ? "\(path.dropLast(4))-\(number).gpx" : "\(path)-\(number)"
  }
}
