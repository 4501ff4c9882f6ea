// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The inotify(7) watches on folders, or on the nearest existing parents of missing folders.
package struct FolderWatchSet: Sendable {
  /// A folder to watch.
  package struct Folder: Hashable, Sendable {
    var path: String
    /// The suffix of the names of relevant files.
    var suffix: String

    package init(path: String, suffix: String) {
      self.path = path
      self.suffix = suffix
    }
  }

  /// The result of reading events.
  enum Outcome {
    case nothing
    case changed
    case failed
  }

  /// The names that are relevant in a watched folder.
  private enum RelevantName: Equatable, Sendable {
    /// Files whose name ends with a suffix.
    case file(suffix: String)
    /// The missing folder, or its missing parent folder, of the given name.
    case awaited(name: String)
  }

  let descriptor: Int32
  private let folders: [Folder]
  private var relevantNames: [Int32: [RelevantName]] = [:]

  private static let mask = UInt32(
    IN_MODIFY | IN_CLOSE_WRITE | IN_ATTRIB | IN_CREATE | IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE
      | IN_DELETE_SELF | IN_MOVE_SELF)
  /// Events after which the watches must be renewed: removal, renaming or lost events.
  private static let renewalEvents = UInt32(
    IN_DELETE_SELF | IN_MOVE_SELF | IN_IGNORED | IN_Q_OVERFLOW)

  /// Starts the watches; `nil` if the kernel cannot watch all folders.
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

  /// Watches each folder, or its nearest existing parent; returns false if the kernel refuses.
  private mutating func arm() -> Bool {
    let before = relevantNames
    relevantNames = [:]
    for folder in folders {
      guard watch(folder) else { return false }
    }
    for number in before.keys where relevantNames[number] == nil {
      inotify_rm_watch(descriptor, number)
    }
    return true
  }

  private mutating func watch(_ folder: Folder) -> Bool {
    // The loop repeats if the missing folder is created while the watch of its parent is added.
    for _ in 0..<8 {
      var path = folder.path
      var relevantName = RelevantName.file(suffix: folder.suffix)
      var number = inotify_add_watch(descriptor, path, Self.mask)
      while number < 0, errno == ENOENT || errno == ENOTDIR, path != "/", path != "." {
        relevantName = .awaited(name: path.split(separator: "/").last.map(String.init) ?? "")
        path = StateFolder.parent(of: path)
        number = inotify_add_watch(descriptor, path, Self.mask)
      }
      guard number >= 0 else { return false }
      guard case .awaited(let name) = relevantName, access("\(path)/\(name)", F_OK) == 0 else {
        if relevantNames[number]?.contains(relevantName) != true {
          relevantNames[number, default: []] += [relevantName]
        }
        return true
      }
    }
    return false
  }

  /// Reads all pending events, without waiting.
  mutating func read() -> Outcome {
    // The capacity in bytes is enough for an event with the longest name, or for many usual events.
    let capacity = 4096
    var outcome = Outcome.nothing
    var bytes = [UInt8](repeating: 0, count: capacity)
    while true {
      let count = bytes.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, capacity) }
      if count < 0, errno == EINTR { continue }
      if count < 0, errno == EAGAIN { return outcome }
      guard count > 0 else { return .failed }
      let (changesFile, changesFolder) = parse(bytes.prefix(count))
      if changesFolder, !arm() { return .failed }
      if changesFile || changesFolder { outcome = .changed }
    }
  }

  /// Returns whether a relevant file has changed, and whether a folder was created or removed.
  private func parse(_ bytes: ArraySlice<UInt8>) -> (changesFile: Bool, changesFolder: Bool) {
    let headSize = MemoryLayout<inotify_event>.size
    var (changesFile, changesFolder) = (false, false)
    var rest = bytes
    while rest.count >= headSize {
      let event = rest.withUnsafeBytes { $0.loadUnaligned(as: inotify_event.self) }
      let name = rest.dropFirst(headSize).prefix(Int(event.len)).prefix { $0 != 0 }
      let text = String(decoding: name, as: UTF8.self)
      if event.mask & Self.renewalEvents != 0 {
        // A watch that `arm` has removed also ends with an event, which is ignored.
        if event.wd < 0 || relevantNames[event.wd] != nil { changesFolder = true }
      } else {
        for relevantName in relevantNames[event.wd] ?? [] {
          switch relevantName {
          // Without a name, the event is about the folder itself, such as its permissions.
          case .file(let suffix): if text.isEmpty || text.hasSuffix(suffix) { changesFile = true }
          case .awaited(let awaited): if text == awaited { changesFolder = true }
          }
        }
      }
      rest = rest.dropFirst(headSize + Int(event.len))
    }
    return (changesFile, changesFolder)
  }
}
