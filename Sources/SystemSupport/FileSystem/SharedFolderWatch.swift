// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// One watch of the kernel for all who want to know: each would cost a thread and an instance of
/// inotify, of which a user has few.
package final class SharedFolderWatch: Sendable {
  private struct State {
    var nextID: UInt64 = 0
    var listeners: [UInt64: @Sendable (FolderWatch.Event) -> Void] = [:]
    var isFinished = false
  }

  /// Listens for as long as it is there.
  package final class Listening: Sendable {
    fileprivate let end: @Sendable () -> Void
    fileprivate init(end: @escaping @Sendable () -> Void) { self.end = end }
    deinit { end() }
  }

  private final class Listeners: Sendable {
    let state = Mutex(State())

    func tell(_ event: FolderWatch.Event) {
      let listeners = state.withLock { state in
        if case .ended = event { state.isFinished = true }
        return Array(state.listeners.values)
      }
      for listener in listeners { listener(event) }
    }
  }

  private let listeners = Listeners()
  private let watch: FolderWatch?

  package init(_ folders: [FolderWatchSet.Folder]) {
    watch = FolderWatch(folders) { [listeners] in listeners.tell($0) }
  }

  /// Starts to listen; `nil` where the kernel does not tell.
  package func listen(_ tell: @escaping @Sendable (FolderWatch.Event) -> Void) -> Listening? {
    guard watch != nil else { return nil }
    return listeners.state.withLock { state in
      guard !state.isFinished else { return nil }
      state.nextID &+= 1
      let id = state.nextID
      state.listeners[id] = tell
      return Listening { [listeners] in
        _ = listeners.state.withLock { $0.listeners.removeValue(forKey: id) }
      }
    }
  }
}
