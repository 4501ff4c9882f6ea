// SPDX-License-Identifier: Apache-2.0

import Glibc
import Synchronization

/// A reserved loopback port that refuses connections.
///
/// Use a reserved port for programs that take a port number as an argument: an unreserved port may
/// no longer be free when the program starts. The reserved port is bound, so that the kernel does
/// not assign it to other sockets. A program that sets `SO_REUSEADDR`, as gpsd and
/// ``ScriptedGPSD`` do, can still listen on the port.
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
  /// Call this method at the end of a test, so that the port stays reserved until then.
  package func release() {
    descriptor.withLock { descriptor in
      if let held = descriptor { close(held) }
      descriptor = nil
    }
  }
}
