// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Tells that files in some folders have changed, by the kernel's word: inotify(7).
///
/// Costs no wakeup while nothing changes. A folder that is not there is waited for in the nearest
/// one above it that is. What a symbolic link points to is not watched, nor is a folder above one
/// that is there: whoever depends on those looks by itself now and then.
package final class FolderWatch: Sendable {
  /// What is told.
  package enum Event: Sendable {
    /// Something may have changed.
    case changed
    /// The kernel tells no more; nothing follows.
    case ended
  }

  private let stop: WakeUp

  /// Starts to watch; `nil` where the kernel cannot tell of all the folders.
  ///
  /// - Parameters:
  ///   - folders: Which folders, and which files in them.
  ///   - tell: Told on a thread of the watch; must return at once.
  package init?(_ folders: [FolderWatchSet.Folder], tell: @escaping @Sendable (Event) -> Void) {
    guard let stop = try? WakeUp(), let set = FolderWatchSet(folders) else { return nil }
    self.stop = stop
    let runs = BlockingThread.start {
      Self.run(set, until: stop, tell)
      set.close()
    }
    guard runs else {
      set.close()
      return nil
    }
  }

  deinit { stop.signal() }

  private static func run(
    _ set: FolderWatchSet, until stop: WakeUp, _ tell: @Sendable (Event) -> Void
  ) {
    var set = set
    while true {
      var polled = [
        pollfd(fd: set.descriptor, events: Int16(POLLIN), revents: 0),
        pollfd(fd: stop.descriptor, events: Int16(POLLIN), revents: 0),
      ]
      let count = poll(&polled, nfds_t(polled.count), -1)
      if count < 0, errno == EINTR { continue }
      // Never in silence: whoever listens would go on waiting for a word.
      guard count > 0, polled[1].revents & Int16(POLLNVAL | POLLERR) == 0 else {
        return tell(.ended)
      }
      guard polled[1].revents == 0 else { return }
      switch set.read() {
      case .nothing: break
      case .changed: tell(.changed)
      case .failed: return tell(.ended)
      }
    }
  }
}
