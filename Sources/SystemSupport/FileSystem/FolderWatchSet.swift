// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The inotify(7) watches on some folders, or on where they would be made.
package struct FolderWatchSet: Sendable {
  /// A folder, and which files in it count.
  package struct Folder: Hashable, Sendable {
    var path: String
    /// The end of their names.
    var suffix: String

    package init(path: String, suffix: String) {
      self.path = path
      self.suffix = suffix
    }
  }

  /// What came of reading.
  enum Outcome {
    case nothing
    case changed
    case failed
  }

  /// What a name in a watched folder means.
  private enum Meaning: Equatable, Sendable {
    /// A file that counts ends so.
    case file(suffix: String)
    /// A folder that is waited for, or one above it, is called so.
    case awaited(name: String)
  }

  let descriptor: Int32
  private let folders: [Folder]
  private var meanings: [Int32: [Meaning]] = [:]

  private static let mask = UInt32(
    IN_MODIFY | IN_CLOSE_WRITE | IN_ATTRIB | IN_CREATE | IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE
      | IN_DELETE_SELF | IN_MOVE_SELF)
  /// The folder that was watched is no longer where it was.
  private static let gone = UInt32(IN_DELETE_SELF | IN_MOVE_SELF | IN_IGNORED | IN_Q_OVERFLOW)

  /// Starts to watch; `nil` where the kernel cannot watch all of them.
  init?(_ folders: [Folder]) {
    descriptor = inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK))
    self.folders = folders
    guard descriptor >= 0 else { return nil }
    guard arm() else {
      close()
      return nil
    }
  }

  func close() { _ = Glibc.close(descriptor) }

  /// Watches each folder, or the nearest above it that is there.
  private mutating func arm() -> Bool {
    let before = meanings
    meanings = [:]
    for folder in folders {
      guard watch(folder) else { return false }
    }
    for number in before.keys where meanings[number] == nil {
      inotify_rm_watch(descriptor, number)
    }
    return true
  }

  private mutating func watch(_ folder: Folder) -> Bool {
    // Where it is made between two looks, the next one finds it.
    for _ in 0..<8 {
      var path = folder.path
      var meaning = Meaning.file(suffix: folder.suffix)
      var number = inotify_add_watch(descriptor, path, Self.mask)
      while number < 0, errno == ENOENT || errno == ENOTDIR, path != "/", path != "." {
        meaning = .awaited(name: path.split(separator: "/").last.map(String.init) ?? "")
        path = StateFolder.parent(of: path)
        number = inotify_add_watch(descriptor, path, Self.mask)
      }
      guard number >= 0 else { return false }
      guard case .awaited(let name) = meaning, access("\(path)/\(name)", F_OK) == 0 else {
        if meanings[number]?.contains(meaning) != true {
          meanings[number, default: []] += [meaning]
        }
        return true
      }
    }
    return false
  }

  /// Reads what the kernel has to tell; never waits.
  mutating func read() -> Outcome {
    // Room for one event with the longest name, and for many with common ones.
    let room = 4096
    var outcome = Outcome.nothing
    var bytes = [UInt8](repeating: 0, count: room)
    while true {
      let count = bytes.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, room) }
      if count < 0, errno == EINTR { continue }
      if count < 0, errno == EAGAIN { return outcome }
      guard count > 0 else { return .failed }
      let (counts, moves) = take(bytes.prefix(count))
      if moves, !arm() { return .failed }
      if counts || moves { outcome = .changed }
    }
  }

  /// Whether a file that counts has changed, and whether a folder has come or gone.
  private func take(_ bytes: ArraySlice<UInt8>) -> (counts: Bool, moves: Bool) {
    let headSize = MemoryLayout<inotify_event>.size
    var (counts, moves) = (false, false)
    var rest = bytes
    while rest.count >= headSize {
      let event = rest.withUnsafeBytes { $0.loadUnaligned(as: inotify_event.self) }
      let name = rest.dropFirst(headSize).prefix(Int(event.len)).prefix { $0 != 0 }
      let text = String(decoding: name, as: UTF8.self)
      if event.mask & Self.gone != 0 {
        // A watch that was taken away here ends with a word too.
        if event.wd < 0 || meanings[event.wd] != nil { moves = true }
      } else {
        for meaning in meanings[event.wd] ?? [] {
          switch meaning {
          // Without a name it is the folder itself, such as its permissions.
          case .file(let suffix): if text.isEmpty || text.hasSuffix(suffix) { counts = true }
          case .awaited(let awaited): if text == awaited { moves = true }
          }
        }
      }
      rest = rest.dropFirst(headSize + Int(event.len))
    }
    return (counts, moves)
  }
}
