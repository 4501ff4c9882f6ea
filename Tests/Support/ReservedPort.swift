// SPDX-License-Identifier: Apache-2.0

import Glibc
import Synchronization

/// A reserved loopback port that refuses connections.
///
/// Use it for programs that have a port number as an argument: a port that was found to be free may
/// be in use when the program starts. This port is bound, so that the kernel does not assign it to
/// other sockets. A program that sets `SO_REUSEADDR`, as gpsd and ``ScriptedGPSD`` do, can still
/// listen on it.
package final class ReservedPort: Sendable {
  /// The port.
  package let number: UInt16
  private let descriptor: Mutex<Int32?>

  /// Reserves a free port of a loopback address.
  ///
  /// - Throws: ``Loopback/SocketError``.
  package init(on loopback: Loopback = .ipv4) throws(Loopback.SocketError) {
    let (descriptor, port) = try loopback.bind(port: 0)
    self.descriptor = Mutex(descriptor)
    number = port
  }

  deinit { release() }

  /// Releases the port; further calls have no effect.
  ///
  /// Call it at the end of a test, so that the object is not released earlier.
  package func release() {
    descriptor.withLock { descriptor in
      if let held = descriptor { close(held) }
      descriptor = nil
    }
  }
}
