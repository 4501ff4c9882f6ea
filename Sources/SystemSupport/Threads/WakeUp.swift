// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Wakes a thread out of poll(2), from any other, once and for good.
package final class WakeUp: Sendable {
  /// Becomes readable with ``signal()`` and stays so.
  package let descriptor: Int32
  private let sender: Int32

  package init() throws(SystemCallFailure) {
    // A socket pair and not a pipe: its descriptors are closed on exec from the first moment.
    let kind = SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
    var pair: [Int32] = [-1, -1]
    try SystemCall.run("socketpair") { socketpair(AF_UNIX, Int32(kind), 0, &pair) }
    (descriptor, sender) = (pair[0], pair[1])
  }

  deinit {
    SystemCall.close(descriptor)
    SystemCall.close(sender)
  }

  /// Wakes the thread; may be called again.
  package func signal() { _ = shutdown(sender, Int32(SHUT_WR)) }
}
