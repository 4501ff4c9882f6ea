// SPDX-License-Identifier: Apache-2.0

import Glibc
import Synchronization

/// A port of this machine that nobody else is given, and that refuses whoever connects.
///
/// For a program that takes only a number: one that was free a moment ago may be another's by then.
/// It is bound, so that the kernel gives it to nobody who asks for any; and a program that names it
/// and sets `SO_REUSEADDR`, as gpsd and ``ScriptedGPSD`` do, can listen on it.
package final class ReservedPort: Sendable {
  /// The port.
  package let number: UInt16
  private let descriptor: Mutex<Int32?>

  /// Takes a free port.
  ///
  /// - Parameter loopback: Of which address.
  /// - Throws: ``Loopback/SocketError``.
  package init(on loopback: Loopback = .ipv4) throws(Loopback.SocketError) {
    let (descriptor, port) = try loopback.bind(port: 0)
    self.descriptor = Mutex(descriptor)
    number = port
  }

  deinit { release() }

  /// Gives it back, once or more often; called where a test ends, it is held until then.
  package func release() {
    descriptor.withLock { descriptor in
      if let held = descriptor { close(held) }
      descriptor = nil
    }
  }
}
