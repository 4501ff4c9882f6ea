// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A loopback address for TCP.
package enum Loopback: Sendable {
  /// 127.0.0.1.
  case ipv4
  /// ::1.
  case ipv6

  /// A failure to open a socket.
  package struct SocketError: Error {
    /// The error number.
    package let errorNumber: Int32
  }

  /// The address as text.
  package var host: String {
    switch self {
    case .ipv4: "127.0.0.1"
    case .ipv6: "::1"
    }
  }

  /// Opens a listening socket.
  ///
  /// - Parameter port: The port; 0 selects a free one.
  /// - Returns: The socket, which the caller must close, and its port.
  /// - Throws: ``SocketError``.
  package func listen(port: UInt16) throws(SocketError) -> (descriptor: Int32, port: UInt16) {
    let (descriptor, port) = try bind(port: port)
    guard Glibc.listen(descriptor, 8) == 0 else {
      defer { close(descriptor) }
      throw SocketError(errorNumber: errno)
    }
    return (descriptor, port)
  }

  /// Binds a socket to a port without listening.
  ///
  /// - Parameter port: The port; 0 selects a free one.
  /// - Returns: The socket, which the caller must close, and its port.
  /// - Throws: ``SocketError``.
  func bind(port: UInt16) throws(SocketError) -> (descriptor: Int32, port: UInt16) {
    let family = self == .ipv4 ? AF_INET : AF_INET6
    let descriptor = socket(family, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw SocketError(errorNumber: errno) }
    var yes: Int32 = 1
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
    var storage = sockaddr_storage()
    var length: socklen_t
    if self == .ipv4 {
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
      address.sin_port = port.bigEndian
      length = socklen_t(MemoryLayout<sockaddr_in>.size)
      withUnsafeMutableBytes(of: &storage) { $0.storeBytes(of: address, as: sockaddr_in.self) }
    } else {
      var address = sockaddr_in6()
      address.sin6_family = sa_family_t(AF_INET6)
      address.sin6_addr = in6addr_loopback
      address.sin6_port = port.bigEndian
      length = socklen_t(MemoryLayout<sockaddr_in6>.size)
      withUnsafeMutableBytes(of: &storage) { $0.storeBytes(of: address, as: sockaddr_in6.self) }
    }
    let isBound = withUnsafeMutablePointer(to: &storage) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.bind(descriptor, $0, length) == 0 && getsockname(descriptor, $0, &length) == 0
      }
    }
    guard isBound else {
      defer { close(descriptor) }
      throw SocketError(errorNumber: errno)
    }
    // The port has the same offset in both families.
    let bound = withUnsafeBytes(of: storage) {
      $0.loadUnaligned(fromByteOffset: 2, as: UInt16.self)
    }
    return (descriptor, UInt16(bigEndian: bound))
  }
}
