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

  /// Closing it ends the thread.
  private let stopper: Int32

  /// Starts to watch; `nil` where the kernel cannot tell of all the folders.
  ///
  /// - Parameters:
  ///   - folders: Which folders, and which files in them.
  ///   - tell: Told on a thread of the watch; must return at once.
  package init?(_ folders: [FolderWatchSet.Folder], tell: @escaping @Sendable (Event) -> Void) {
    var pipe: (reader: Int32, writer: Int32) = (-1, -1)
    let isOpen = withUnsafeMutableBytes(of: &pipe) { bytes in
      bytes.withMemoryRebound(to: Int32.self) { $0.baseAddress.map { Glibc.pipe($0) } ?? -1 }
    }
    guard isOpen == 0 else { return nil }
    for descriptor in [pipe.reader, pipe.writer] { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
    stopper = pipe.writer
    let reader = pipe.reader
    guard let set = FolderWatchSet(folders) else {
      close(reader)
      return nil
    }
    let runs = OwnThread.start {
      Self.run(set, until: reader, tell)
      set.close()
      close(reader)
    }
    guard runs else {
      set.close()
      close(reader)
      return nil
    }
  }

  deinit { close(stopper) }

  private static func run(
    _ set: FolderWatchSet, until stopped: Int32, _ tell: @Sendable (Event) -> Void
  ) {
    var set = set
    while true {
      var polled = [
        pollfd(fd: set.descriptor, events: Int16(POLLIN), revents: 0),
        pollfd(fd: stopped, events: 0, revents: 0),
      ]
      let count = poll(&polled, nfds_t(polled.count), -1)
      if count < 0, errno == EINTR { continue }
      // Never in silence: whoever listens would go on waiting for a word.
      guard count > 0, polled[1].revents & Int16(POLLNVAL | POLLERR) == 0 else {
        return tell(.ended)
      }
      // The other end is closed: nobody listens.
      guard polled[1].revents == 0 else { return }
      switch set.read() {
      case .nothing: break
      case .changed: tell(.changed)
      case .failed: return tell(.ended)
      }
    }
  }
}
