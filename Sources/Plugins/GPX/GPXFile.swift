// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import SystemSupport

/// A GPX file that grows point by point and is well-formed at every moment.
///
/// While the file is open, a lock prevents other Fixcast sinks from writing to it. Two writers
/// would overwrite each other's points, because each writer remembers its own end of the file.
final class GPXFile {
  let path: String
  private let descriptor: Int32
  /// The offset of the closing tags.
  private var end: Int
  /// The offset of the closing tags before the last addition; `nil` if the last addition created
  /// the file.
  private var previousEnd: Int?
  private var isUnsynced = false

  private init(path: String, descriptor: Int32, end: Int) {
    self.path = path
    self.descriptor = descriptor
    self.end = end
  }

  deinit { FileLock.close(descriptor) }

  /// Opens an existing file written by Fixcast, or creates a file, and writes the first point.
  ///
  /// An existing file that another program wrote, or that is damaged beyond repair, is not changed.
  /// In this case, a number is added to the name of the new file.
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
      let foundEnd: Int?
      do throws(FileFailure) { foundEnd = try lockedEnd(descriptor, name) } catch {
        FileLock.close(descriptor)
        throw error
      }
      guard let end = foundEnd else {
        FileLock.close(descriptor)
        continue
      }
      let file = GPXFile(path: name, descriptor: descriptor, end: end)
      try group?.apply(to: descriptor, path: name)
      try file.restore()
      try file.append(GPXText.endOfTrack + track + point)
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
    guard try lockedEnd(descriptor, path) != nil else { return }
    try FileFailure.check(path, "unlink") { unlink(path) }
  }

  /// Whether the path still leads to this file.
  var isInPlace: Bool {
    var (ownStatus, pathStatus) = (stat(), stat())
    return fstat(descriptor, &ownStatus) == 0 && stat(path, &pathStatus) == 0
      && ownStatus.st_ino == pathStatus.st_ino && ownStatus.st_dev == pathStatus.st_dev
  }

  /// Inserts text before the closing tags; after an error, nothing has been inserted.
  func append(_ text: String) throws(FileFailure) {
    let (writes, next) = GPXTail.writes(adding: Array(text.utf8), at: end)
    do throws(FileFailure) {
      for write in writes { try put(write) }
    } catch {
      try? restore()
      throw error
    }
    previousEnd = end
    end = next
    isUnsynced = true
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
      let file = GPXFile(path: path, descriptor: descriptor, end: head.count)
      // Lock the file before the rename, so that no other process can lock it first.
      try FileLock.take(descriptor, path)
      try group?.apply(to: descriptor, path: path)
      try AtomicFile.writeAll(head + Array(GPXText.closing.utf8), to: descriptor, path: path)
      try FileFailure.check(path, "rename") { rename(next, path) }
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
      let begin = try? read(descriptor, path, header.count, 0), header.starts(with: begin)
    else { return false }
    try FileLock.take(descriptor, path)
    return true
  }

  /// Locks a file written by Fixcast, and returns the offset at which the track continues.
  ///
  /// Returns `nil` for other files and for files that are damaged beyond repair.
  private static func lockedEnd(_ descriptor: Int32, _ path: String) throws(FileFailure) -> Int? {
    var status = stat()
    try FileFailure.check(path, "fstat") { fstat(descriptor, &status) }
    let header = Array(GPXText.header.utf8)
    // Lock the file before reading its end, because another sink may be appending points.
    guard status.st_mode & S_IFMT == S_IFREG, try read(descriptor, path, header.count, 0) == header
    else { return nil }
    try FileLock.take(descriptor, path)
    return try resumption(descriptor, path)
  }

  /// Returns the offset at which the track continues; `nil` if the file is damaged beyond repair.
  private static func resumption(_ descriptor: Int32, _ path: String) throws(FileFailure) -> Int? {
    var status = stat()
    try FileFailure.check(path, "fstat") { fstat(descriptor, &status) }
    let start = max(Int(status.st_size) - 2 * GPXTail.pageSize, GPXText.header.utf8.count)
    let tail = try read(descriptor, path, 2 * GPXTail.pageSize, start)
    return GPXTail.resumption(in: tail).map { start + $0 }
  }

  private static func read(
    _ descriptor: Int32, _ path: String, _ count: Int, _ offset: Int
  ) throws(FileFailure) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    let readCount = try FileFailure.check(path, "read") {
      pread(descriptor, &bytes, count, off_t(offset))
    }
    return Array(bytes.prefix(readCount))
  }

  /// Adds a number to a path: `track.gpx` becomes `track-2.gpx`.
  private static func numbered(_ path: String, _ number: Int) -> String {
    path.hasSuffix(".gpx") ? "\(path.dropLast(4))-\(number).gpx" : "\(path)-\(number)"
  }
}
