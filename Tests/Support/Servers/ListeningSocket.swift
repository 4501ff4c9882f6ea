// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A socket that listens, and that is closed when nobody holds it any more.
///
/// Its number is another's once it is closed: closed by one while another is about to accept, that
/// one would take the connections of whoever listens next.
package final class ListeningSocket: Sendable {
  private let descriptor: Int32

  /// Takes over a socket that listens already.
  package init(_ descriptor: Int32) { self.descriptor = descriptor }

  deinit { close(descriptor) }

  /// Accepts one connection after another until ``stop()``, on a thread that it may block.
  ///
  /// - Parameter take: Takes each connection, to be closed by whoever takes it.
  package func acceptAll(_ take: (_ connection: Int32) -> Void) {
    while true {
      let connection = accept(descriptor, nil, nil)
      guard connection >= 0 else { return }
      take(connection)
    }
  }

  /// Ends it, once or more often; who asks afterwards is refused.
  package func stop() { shutdown(descriptor, Int32(SHUT_RDWR)) }
}
