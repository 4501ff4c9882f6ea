// SPDX-License-Identifier: Apache-2.0

internal import CNetlink
internal import Glibc
internal import Synchronization

/// Wakes a thread out of `poll` when `/etc/resolv.conf` may say something else.
///
/// The file is usually a link to one that a resolver writes anew and renames, so it is the folders
/// that are watched: those of the file and of whatever it leads to. In a container it is mounted
/// from elsewhere, and its folder hears of nothing: so the file itself is watched as well. Where a
/// link leads nowhere yet, the monitor's backstop finds what appears there.
final class ResolverWatch: Sendable {
  /// Becomes readable with a change in one of the folders.
  ///
  /// -1, which `poll` ignores, where the kernel has no such watch left.
  let descriptor: Int32
  private let file: String
  /// The names that count, by the watch of their folder; the watch of the file itself has no name.
  private let names = Mutex<[Int32: Set<String>]>([:])

  /// Begins to watch.
  init(_ file: String) {
    self.file = file
    descriptor = inotify_init1(Int32(fixcast_in_cloexec_nonblock))
    if descriptor >= 0 { arm() }
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// Whether the file, or a link on the way to it, may have changed; waits for more from here on.
  func take() -> Bool {
    var isChanged = false
    // Bounded: what is left is seen in the next round.
    for _ in 0..<64 {
      guard let bytes = read() else { break }
      isChanged = names.withLock { names in Self.isChanged(bytes[...], names) } || isChanged
    }
    // A link may lead elsewhere.
    if isChanged { arm() }
    return isChanged
  }

  /// `struct inotify_event`, one after the other: watch (4), mask (4), cookie (4), length of the
  /// name (4), the name, ended and padded by zeros.
  static func isChanged(_ events: ArraySlice<UInt8>, _ names: [Int32: Set<String>]) -> Bool {
    var rest = events
    while let watch = rest.number(at: 0, as: Int32.self),
      let mask = rest.number(at: 4, as: UInt32.self),
      let length = rest.number(at: 12, as: UInt32.self).map(Int.init), length <= rest.count - 16
    {
      if mask & UInt32(IN_Q_OVERFLOW) != 0 { return true }
      let name = String(
        decoding: rest.dropping(16).prefix(length).prefix { $0 != 0 }, as: UTF8.self)
      // That a watch has ended is told of watches given up, too: they have no names.
      if let wanted = names[watch],
        wanted.contains(name) || mask & UInt32(fixcast_in_lost) != 0
      {
        return true
      }
      rest = rest.dropping(16 + length)
    }
    return false
  }

  /// The folders and names on the way from a file to where it leads, links and all.
  static func steps(from file: String) -> [(folder: String, name: String)] {
    var steps: [(folder: String, name: String)] = []
    var path = file
    // As many links as a resolver of names may need; the kernel allows 40.
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

  /// Where a link leads; `nil` for what is no link.
  private static func destination(of path: String) -> String? {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 4096) { buffer in
      guard let base = buffer.baseAddress else { return nil }
      let count = readlink(path, base, buffer.count)
      guard count > 0, count < buffer.count else { return nil }
      return String(decoding: UnsafeRawBufferPointer(buffer).prefix(count), as: UTF8.self)
    }
  }
}
