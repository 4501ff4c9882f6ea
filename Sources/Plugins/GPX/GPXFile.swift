// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import SystemSupport

/// A GPX file that grows point by point and is well-formed at every moment.
///
/// Nobody else who writes such files writes it while it is open: two that each know where it ends would
/// write over each other.
final class GPXFile {
  let path: String
  private let descriptor: Int32
  /// Where the closing tags are.
  private var end: Int
  /// Where they were before what was added last; `nil` where that is all there is.
  private var endBefore: Int?
  private var isUnsynced = false

  private init(path: String, descriptor: Int32, end: Int) {
    self.path = path
    self.descriptor = descriptor
    self.end = end
  }

  deinit { FileLock.close(descriptor) }

  /// Opens a file of ours to go on in it, or makes one, and writes the first point.
  ///
  /// A file of that name that is not ours, or of which nothing can be made, is left alone; the
  /// name then gets a number.
  ///
  /// - Throws: Where it cannot be written, or another writes it.
  static func begin(_ path: String, track: String, point: String) throws(FileFailure) -> GPXFile {
    for number in 1...99 {
      let name = number == 1 ? path : numbered(path, number)
      let descriptor = open(name, O_RDWR | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
      if descriptor < 0 {
        guard errno == ENOENT else {
          throw FileFailure(path: name, call: "open", number: errno)
        }
        return try make(name, track + point)
      }
      let found: Int?
      do throws(FileFailure) { found = try lockedEnd(descriptor, name) } catch {
        FileLock.close(descriptor)
        throw error
      }
      guard let end = found else {
        FileLock.close(descriptor)
        continue
      }
      let file = GPXFile(path: name, descriptor: descriptor, end: end)
      try file.restore()
      try file.append(GPXText.endOfTrack + track + point)
      return file
    }
    throw FileFailure(path: path, call: "open", number: EEXIST)
  }

  /// How long the file would be with something more, in bytes.
  func size(adding text: String) -> Int {
    GPXTail.writes(adding: Array(text.utf8), at: end).writes.map(\.end).max() ?? end
  }

  /// Removes a file of ours; any other is left alone.
  static func remove(_ path: String) throws(FileFailure) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
    guard descriptor >= 0 else { return }
    defer { FileLock.close(descriptor) }
    guard try lockedEnd(descriptor, path) != nil else { return }
    try FileFailure.check(path, "unlink") { unlink(path) }
  }

  /// Whether the name still leads to this file.
  var isInPlace: Bool {
    var (here, named) = (stat(), stat())
    return fstat(descriptor, &here) == 0 && stat(path, &named) == 0
      && here.st_ino == named.st_ino && here.st_dev == named.st_dev
  }

  /// Adds to the file before its closing tags: all or nothing.
  func append(_ text: String) throws(FileFailure) {
    let (writes, next) = GPXTail.writes(adding: Array(text.utf8), at: end)
    do throws(FileFailure) {
      for write in writes { try put(write) }
    } catch {
      try? restore()
      throw error
    }
    endBefore = end
    end = next
    isUnsynced = true
  }

  /// Takes back what was added last, as far as that can be done.
  func takeBack() {
    guard let endBefore else {
      unlink(path)
      return
    }
    end = endBefore
    try? restore()
  }

  /// Puts what was written on the disk.
  func synchronize() throws(FileFailure) {
    guard isUnsynced else { return }
    isUnsynced = false
    let descriptor = descriptor
    try FileFailure.check(path, "fsync") { fdatasync(descriptor) }
  }

  /// Ends the file where it ended before; needs no room that it had not.
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

  /// A new file gets its name only when it is whole.
  private static func make(_ path: String, _ text: String) throws(FileFailure) -> GPXFile {
    let next = path + ".new"
    if try isLeft(next) { unlink(next) }
    let head = Array((GPXText.header + text).utf8)
    let descriptor = try FileFailure.check(path, "open") {
      open(next, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode_t(0o600))
    }
    do throws(FileFailure) {
      let file = GPXFile(path: path, descriptor: descriptor, end: head.count)
      // Before it has its name, so that nobody finds it without.
      try FileLock.take(descriptor, path)
      try AtomicFile.writeAll(head + Array(GPXText.closing.utf8), to: descriptor, path: path)
      try FileFailure.check(path, "rename") { rename(next, path) }
      file.isUnsynced = true
      return file
    } catch {
      unlink(next)
      throw error
    }
  }

  /// Whether that is what we had begun when we were killed: any other keeps its name, and the track
  /// is not begun under this one.
  ///
  /// - Throws: Where it is what another is just beginning.
  private static func isLeft(_ path: String) throws(FileFailure) -> Bool {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY | O_NONBLOCK)
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

  /// Takes a file of ours for oneself, and says where it goes on; `nil` for one that is not ours.
  private static func lockedEnd(_ descriptor: Int32, _ path: String) throws(FileFailure) -> Int? {
    var status = stat()
    try FileFailure.check(path, "fstat") { fstat(descriptor, &status) }
    let header = Array(GPXText.header.utf8)
    // Before its end is looked at, which another may be about to move.
    guard status.st_mode & S_IFMT == S_IFREG, try read(descriptor, path, header.count, 0) == header
    else { return nil }
    try FileLock.take(descriptor, path)
    return try resumption(descriptor, path)
  }

  /// Where a file of ours goes on; `nil` for one of which nothing can be made.
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
    let got = try FileFailure.check(path, "read") {
      pread(descriptor, &bytes, count, off_t(offset))
    }
    return Array(bytes.prefix(got))
  }

  /// `track.gpx` becomes `track-2.gpx`.
  private static func numbered(_ path: String, _ number: Int) -> String {
    path.hasSuffix(".gpx") ? "\(path.dropLast(4))-\(number).gpx" : "\(path)-\(number)"
  }
}
