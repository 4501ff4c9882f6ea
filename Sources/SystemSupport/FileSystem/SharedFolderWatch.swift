// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// A folder watch shared by several listeners.
///
/// Each separate watch would need a thread and an inotify instance, which are limited per user.
package final class SharedFolderWatch: Sendable {
  private struct State {
    var nextID: UInt64 = 0
    var listeners: [UInt64: @Sendable (FolderWatch.Event) -> Void] = [:]
    var isFinished = false
  }

  /// A subscription, which ends when this object is released.
  package final class Subscription: Sendable {
    fileprivate let end: @Sendable () -> Void
    fileprivate init(end: @escaping @Sendable () -> Void) { self.end = end }
    deinit { end() }
  }

  private final class Listeners: Sendable {
    let state = Mutex(State())

    func send(_ event: FolderWatch.Event) {
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
    watch = FolderWatch(folders) { [listeners] in listeners.send($0) }
  }

  /// Subscribes a listener; `nil` if the kernel cannot watch the folders or the watch has failed.
  package func listen(
    _ listener: @escaping @Sendable (FolderWatch.Event) -> Void
  ) -> Subscription? {
    guard watch != nil else { return nil }
    return listeners.state.withLock { state in
      guard !state.isFinished else { return nil }
      state.nextID &+= 1
      let id = state.nextID
      state.listeners[id] = listener
      return Subscription { [listeners] in
        _ = listeners.state.withLock { $0.listeners.removeValue(forKey: id) }
      }
    }
  }
}
