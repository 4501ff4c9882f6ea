// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A listening socket that is closed when this object is released.
///
/// The socket must not be closed while another thread is about to call accept: if the descriptor
/// were reused, that thread would accept connections of another server.
package final class ListeningSocket: Sendable {
  private let descriptor: Int32

  /// Takes ownership of a listening socket.
  package init(_ descriptor: Int32) { self.descriptor = descriptor }

  deinit { close(descriptor) }

  /// Accepts connections until ``stop()``; blocks the calling thread.
  ///
  /// - Parameter take: Receives each connection and must close it.
  package func acceptAll(_ take: (_ connection: Int32) -> Void) {
    while true {
      let connection = accept(descriptor, nil, nil)
      guard connection >= 0 else { return }
      take(connection)
    }
  }

  /// Stops listening, so that later connections are refused; further calls have no effect.
  package func stop() { shutdown(descriptor, Int32(SHUT_RDWR)) }
}
