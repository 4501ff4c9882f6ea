// SPDX-License-Identifier: Apache-2.0

internal import CNetlink
internal import Glibc
internal import Synchronization

/// Wakes a thread from `poll` when `/etc/resolv.conf` may have changed.
///
/// The file is usually a symbolic link to a file that a resolver replaces by renaming, so the
/// folders of the file and of all link targets are watched. In a container the file is a mount, and
/// its folder reports no changes, so the file itself is watched as well. A file that appears at the
/// target of a broken link is found by the monitor's periodic read.
final class ResolverWatch: Sendable {
  /// A descriptor that becomes readable when one of the folders changes.
  ///
  /// -1, which `poll` ignores, if the kernel's limit of inotify instances is reached.
  let descriptor: Int32
  private let file: String
  /// The relevant names in each watched folder; the watch of the file itself has an empty name.
  private let names = Mutex<[Int32: Set<String>]>([:])

  init(_ file: String) {
    self.file = file
    descriptor = inotify_init1(Int32(fixcast_in_cloexec_nonblock))
    if descriptor >= 0 { arm() }
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// Reads the pending events; returns whether the file or a link to it may have changed.
  func consumeChanges() -> Bool {
    var isChanged = false
    // The loop is bounded; remaining events are read after the next wait.
    for _ in 0..<64 {
      guard let bytes = read() else { break }
      isChanged = names.withLock { names in Self.isChanged(bytes[...], names) } || isChanged
    }
    // A link may have a new target.
    if isChanged { arm() }
    return isChanged
  }

  /// Returns whether events contain a relevant change.
  ///
  /// The format of `struct inotify_event` is: watch (4 bytes), mask (4), cookie (4), length of the
  /// name (4), and the name, padded with zeros.
  static func isChanged(_ events: ArraySlice<UInt8>, _ names: [Int32: Set<String>]) -> Bool {
    var rest = events
    while let watch = rest.number(at: 0, as: Int32.self),
      let mask = rest.number(at: 4, as: UInt32.self),
      let length = rest.number(at: 12, as: UInt32.self).map(Int.init), length <= rest.count - 16
    {
      if mask & UInt32(IN_Q_OVERFLOW) != 0 { return true }
      let name = String(
        decoding: rest.dropping(16).prefix(length).prefix { $0 != 0 }, as: UTF8.self)
      // The removal of a watch also causes an event. This event is ignored, because a removed watch
      // has no names.
      if let wanted = names[watch],
        wanted.contains(name) || mask & UInt32(fixcast_in_lost) != 0
      {
        return true
      }
      rest = rest.dropping(16 + length)
    }
    return false
  }

  /// Returns the folder and name of a file, and of each target in its chain of symbolic links.
  static func steps(from file: String) -> [(folder: String, name: String)] {
    var steps: [(folder: String, name: String)] = []
    var path = file
    // Eight links are enough for all known resolvers; the kernel allows 40.
    for _ in 0..<8 {
      guard let slash = path.lastIndex(of: "/") else { break }
      let folder = slash == path.startIndex ? "/" : String(path[..<slash])
      steps.append((folder, String(path[path.index(after: slash)...])))
      guard let target = destination(of: path) else { break }
      path = target.hasPrefix("/") ? target : "\(folder)/\(target)"
    }
    return steps
  }

  private func arm() {
    names.withLock { names in
      var next: [Int32: Set<String>] = [:]
      func add(_ path: String, _ mask: Int, _ name: String) {
        let watch = inotify_add_watch(descriptor, path, UInt32(mask))
        if watch >= 0 { next[watch, default: []].insert(name) }
      }
      for (folder, name) in Self.steps(from: file) {
        add(folder, fixcast_in_changes | fixcast_in_only_folders, name)
      }
      add(file, Int(IN_CLOSE_WRITE), "")
      for old in names.keys where next[old] == nil { inotify_rm_watch(descriptor, old) }
      names = next
    }
  }

  private func read() -> [UInt8]? {
    withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 8) { buffer in
      let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
      return count > 0 ? Array(UnsafeRawBufferPointer(buffer).prefix(count)) : nil
    }
  }

  /// Returns the target of a symbolic link; `nil` if the path is not a link.
  private static func destination(of path: String) -> String? {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 4096) { buffer in
      guard let base = buffer.baseAddress else { return nil }
      let count = readlink(path, base, buffer.count)
      guard count > 0, count < buffer.count else { return nil }
      return String(decoding: UnsafeRawBufferPointer(buffer).prefix(count), as: UTF8.self)
    }
  }
}
