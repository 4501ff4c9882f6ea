// SPDX-License-Identifier: Apache-2.0

internal import CNetlink
internal import Glibc

/// A netlink socket; some tests replace it by recorded datagrams.
protocol NetlinkSocket: Sendable {
  /// A descriptor that is readable while a datagram is pending.
  var descriptor: Int32 { get }
  /// Sends a request.
  func send(_ bytes: [UInt8]) throws(NetlinkError)
  /// Receives the next datagram; `nil` if no datagram arrived in time.
  func receive() throws(NetlinkError) -> [UInt8]?
}

/// A failed netlink call.
struct NetlinkError: Error, Equatable, CustomStringConvertible {
  var call: String
  var number: Int32

  /// Whether datagrams were lost because the receive buffer was full.
  var isOverrun: Bool { number == ENOBUFS }

  var description: String { "\(call): \(String(cString: strerror(number)))" }
}

/// A live netlink socket.
final class KernelNetlinkSocket: NetlinkSocket {
  let descriptor: Int32

  /// Opens a socket in the network namespace of the calling thread.
  ///
  /// - Parameters:
  ///   - isListening: Whether the socket receives notifications of changes. A listening socket
  ///     is nonblocking; any other socket waits at most a second for a reply.
  ///   - receiveBufferBytes: The size of the receive buffer; `nil` for the kernel's default.
  /// - Throws: ``NetlinkError`` if the kernel has no netlink or denies access.
  init(isListening: Bool, receiveBufferBytes: Int32? = nil) throws(NetlinkError) {
    let kind = Int32(SOCK_RAW.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    descriptor = socket(
      AF_NETLINK, isListening ? kind | Int32(SOCK_NONBLOCK.rawValue) : kind, NETLINK_ROUTE)
    guard descriptor >= 0 else { throw NetlinkError(call: "socket", number: errno) }
    var address = sockaddr_nl()
    address.nl_family = sa_family_t(AF_NETLINK)
    address.nl_groups =
      isListening ? UInt32(fixcast_rtmgrp_all) | 1 << UInt32(fixcast_rtmgrp_next_hops) : 0
    let bound = withUnsafePointer(to: address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_nl>.size))
      }
    }
    guard bound == 0 else { throw NetlinkError(call: "bind", number: errno) }
    if var size = receiveBufferBytes {
      _ = setsockopt(
        descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
    }
    guard !isListening else { return }
    var timeout = timeval(tv_sec: 1, tv_usec: 0)
    _ = setsockopt(
      descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  func send(_ bytes: [UInt8]) throws(NetlinkError) {
    guard Glibc.send(descriptor, bytes, bytes.count, 0) == bytes.count else {
      throw NetlinkError(call: "send", number: errno)
    }
  }

  func receive() throws(NetlinkError) -> [UInt8]? {
    // The kernel sends at most 32 KiB per datagram of a dump.
    // The closure returns errors, because in Swift 6.2 it cannot throw errors of a stated type.
    let result: Result<[UInt8]?, NetlinkError> =
      withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 1) { buffer in
        while true {
          let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
          if count >= 0 { return .success(Array(UnsafeRawBufferPointer(buffer).prefix(count))) }
          switch errno {
          case EINTR: continue
          case EAGAIN: return .success(nil)
          case let number: return .failure(NetlinkError(call: "recv", number: number))
          }
        }
      }
    return try result.get()
  }
}
