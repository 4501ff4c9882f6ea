// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Glibc
import SystemSupport

/// Whoever reads standard output.
///
/// A program that has nothing to say for hours would find out no sooner that it talks to nobody.
enum OutputReader {
  /// Returns when the reader has gone, or when the task is cancelled.
  ///
  /// A thread sleeps for it in `poll` and wakes for nothing else. A file is always read.
  static func waitUntilGone(_ descriptor: Int32 = STDOUT_FILENO) async {
    guard let wake = try? WakeUp() else { return await untilCancelled() }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        DispatchQueue(label: "fixcast.reader").async {
          watch(descriptor, until: wake)
          continuation.resume()
        }
      }
    } onCancel: {
      wake.signal()
    }
  }

  private static func watch(_ descriptor: Int32, until wake: WakeUp) {
    var descriptors = [
      // Errors and hang-ups are told without being asked for.
      pollfd(fd: descriptor, events: 0, revents: 0),
      pollfd(fd: wake.descriptor, events: Int16(POLLIN), revents: 0),
    ]
    while descriptors[1].revents == 0 {
      guard poll(&descriptors, nfds_t(descriptors.count), -1) >= 0 || errno == EINTR else { return }
      if descriptors[0].revents & Int16(POLLERR | POLLHUP) != 0 { return }
      // Closed by whoever started the program: a write says so.
      if descriptors[0].revents != 0 { descriptors[0].fd = -1 }
    }
  }

  private static func untilCancelled() async {
    let (never, _) = AsyncStream.makeStream(of: Void.self)
    for await _ in never {}
  }
}
