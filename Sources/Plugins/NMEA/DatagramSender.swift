// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import SystemSupport

/// Sends datagrams to an IP address without blocking, and counts datagrams that were not sent.
final class DatagramSender {
  private let destination: ListenAddress
  private let descriptor: Int32
  /// The number of datagrams dropped since the last one that was sent.
  private var droppedCount = 0
  /// The destination, and the reason why the last datagram was not sent; `nil` if it was sent.
  private(set) var failure: String?

  /// Opens a socket that may send to a broadcast address.
  init(_ destination: ListenAddress) throws(SystemCallFailure) {
    self.destination = destination
    let family = destination.isIPv6 ? AF_INET6 : AF_INET
    let type = Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    descriptor = try SystemCall.run("socket") { socket(family, type, 0) }
    var yes: Int32 = 1
    setsockopt(descriptor, SOL_SOCKET, SO_BROADCAST, &yes, socklen_t(MemoryLayout<Int32>.size))
  }

  deinit { close(descriptor) }

  /// Sends a datagram.
  ///
  /// Returns a message for the log if the first datagram is dropped, or the first is sent again.
  func send(_ bytes: ArraySlice<UInt8>) -> String? {
    guard let number = attempt(bytes) else {
      defer { (droppedCount, failure) = (0, nil) }
      return droppedCount > 0 ? "\(destination): sending again; \(droppedCount) dropped" : nil
    }
    droppedCount += 1
    let reason = SystemCallFailure.text(for: number)
    failure = "\(destination): \(reason)"
    return droppedCount == 1 ? "\(destination): \(reason); dropping sentences" : nil
  }

  /// Sends a datagram; returns the error number if it was not sent.
  private func attempt(_ bytes: ArraySlice<UInt8>) -> Int32? {
    var storage = sockaddr_storage()
    let length = withUnsafeMutableBytes(of: &storage) { fill($0) }
    let count = withUnsafePointer(to: &storage) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        bytes.withUnsafeBytes {
          sendto(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL), address, length)
        }
      }
    }
    return count < 0 ? errno : nil
  }

  /// Writes the destination as a socket address; returns its length.
  private func fill(_ storage: UnsafeMutableRawBufferPointer) -> socklen_t {
    guard destination.isIPv6 else {
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = destination.port.bigEndian
      withUnsafeMutableBytes(of: &address.sin_addr) { $0.copyBytes(from: destination.bytes) }
      storage.storeBytes(of: address, as: sockaddr_in.self)
      return socklen_t(MemoryLayout<sockaddr_in>.size)
    }
    var address = sockaddr_in6()
    address.sin6_family = sa_family_t(AF_INET6)
    address.sin6_port = destination.port.bigEndian
    withUnsafeMutableBytes(of: &address.sin6_addr) { $0.copyBytes(from: destination.bytes) }
    storage.storeBytes(of: address, as: sockaddr_in6.self)
    return socklen_t(MemoryLayout<sockaddr_in6>.size)
  }
}
