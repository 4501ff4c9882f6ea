// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// A one-time signal that wakes a thread from poll(2).
package final class WakeUp: Sendable {
  /// A descriptor that becomes readable when ``signal()`` is called.
  package let descriptor: Int32
  private let sender: Int32

  package init() throws(SystemCallFailure) {
    // Unlike a pipe, a socket pair is created with the close-on-exec flag set.
    let kind = SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
    var pair: [Int32] = [-1, -1]
    try SystemCall.run("socketpair") { socketpair(AF_UNIX, Int32(kind), 0, &pair) }
    (descriptor, sender) = (pair[0], pair[1])
  }

  deinit {
    SystemCall.close(descriptor)
    SystemCall.close(sender)
  }

  /// Wakes the thread; further calls have no effect.
  package func signal() { _ = shutdown(sender, Int32(SHUT_WR)) }
}
