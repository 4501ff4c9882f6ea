// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Synchronization

/// A second descriptor of a channel's socket, with which any thread can write without waiting for
/// the event loop.
///
/// Only write while the channel has no pending bytes; otherwise the bytes arrive out of order.
///
/// The connection remains open until both descriptors are closed, so close this socket before the
/// channel.
final class DirectSocket: Sendable {
  /// The descriptor; -1 after ``close()``.
  private let descriptor: Mutex<Int32>

  /// Duplicates a descriptor; returns `nil` if there are too many descriptors.
  init?(_ socket: Int32) {
    let duplicate = fcntl(socket, F_DUPFD_CLOEXEC, 0)
    guard duplicate >= 0 else { return nil }
    descriptor = Mutex(duplicate)
  }

  deinit { close() }

  /// Writes as many bytes as the kernel accepts at once, and returns the rest.
  ///
  /// Returns the rest also after an error: the channel's write of the rest then fails, too.
  func write(_ bytes: [UInt8]) -> ArraySlice<UInt8> {
    descriptor.withLock { descriptor in
      var rest = bytes[...]
      while descriptor >= 0, !rest.isEmpty {
        let count = rest.withUnsafeBytes {
          send(descriptor, $0.baseAddress, $0.count, Int32(MSG_DONTWAIT | MSG_NOSIGNAL))
        }
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { break }
        rest = rest.dropFirst(count)
      }
      return rest
    }
  }

  /// Closes the descriptor; all later writes return all bytes.
  func close() {
    descriptor.withLock { descriptor in
      if descriptor >= 0 { Glibc.close(descriptor) }
      descriptor = -1
    }
  }
}
