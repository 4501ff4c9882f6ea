// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Reports changes of files in folders, with inotify(7).
///
/// The process is not woken while nothing changes. For a missing folder, the nearest existing
/// parent is watched. Targets of symbolic links and the parents of an existing folder are not
/// watched: a caller that depends on such links or parents must also check them periodically.
package final class FolderWatch: Sendable {
  /// An event of a watch.
  package enum Event: Sendable {
    /// A file may have changed.
    case changed
    /// The watch has failed; no further events follow.
    case ended
  }

  private let stop: WakeUp

  /// Starts a watch; `nil` if the kernel cannot watch all folders.
  ///
  /// - Parameters:
  ///   - folders: The folders, with the suffixes of the relevant files.
  ///   - tell: Receives each event on the watch's thread; must return at once.
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
      // Without this event, the caller would wait for further events forever.
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
