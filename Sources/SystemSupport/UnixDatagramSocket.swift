// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// An error in sending a datagram: the system call, its `errno` and the destination.
package struct DatagramError: Error, Equatable, CustomStringConvertible {
  package var call: String
  package var number: Int32
  package var address: String

  package init(call: String, number: Int32, address: String) {
    (self.call, self.number, self.address) = (call, number, address)
  }

  package var description: String {
    "\(address): \(call): \(SystemCallFailure.text(for: number))"
  }
}

/// Sends datagrams to a Unix socket without blocking.
///
/// Opens a new socket per message, since messages are rare and the destination may restart.
package struct UnixDatagramSocket: Sendable {
  /// A path, or `@` followed by a name in the abstract namespace.
  package let address: String

  package init(address: String) { self.address = address }

  package func send(_ bytes: [UInt8]) throws(DatagramError) {
    var name = sockaddr_un()
    name.sun_family = sa_family_t(AF_UNIX)
    let path = Array(address.utf8)
    let capacity = MemoryLayout.size(ofValue: name.sun_path)
    // A path ends with a zero byte. A name in the abstract namespace begins with a zero byte.
    guard path.count < capacity else { throw failure("connect", ENAMETOOLONG) }
    withUnsafeMutableBytes(of: &name.sun_path) { field in
      field.copyBytes(from: path)
      if path.first == UInt8(ascii: "@") { field[0] = 0 }
    }
    let isAbstract = path.first == UInt8(ascii: "@")
    let length = MemoryLayout<sa_family_t>.size + path.count + (isAbstract ? 0 : 1)
    let descriptor = socket(
      AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw failure("socket", errno) }
    defer { close(descriptor) }
    let count = withUnsafePointer(to: &name) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { target in
        bytes.withUnsafeBytes { buffer in
          sendto(
            descriptor, buffer.baseAddress, buffer.count,
            Int32(MSG_NOSIGNAL | MSG_DONTWAIT), target,
            socklen_t(length))
        }
      }
    }
    guard count == bytes.count else { throw failure("sendto", count < 0 ? errno : EMSGSIZE) }
  }

  private func failure(_ call: String, _ number: Int32) -> DatagramError {
    DatagramError(call: call, number: number, address: address)
  }
}
