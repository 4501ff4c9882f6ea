// SPDX-License-Identifier: Apache-2.0

internal import CNetlink
internal import Glibc

/// What a monitor needs of netlink; live, or recorded for tests.
protocol NetlinkSocket: Sendable {
  /// What becomes readable when a datagram has come.
  var descriptor: Int32 { get }
  /// Sends a question.
  func send(_ bytes: [UInt8]) throws(NetlinkError)
  /// The next datagram; `nil` where none has come in time.
  func receive() throws(NetlinkError) -> [UInt8]?
}

/// A call that failed, and how.
struct NetlinkError: Error, Equatable, CustomStringConvertible {
  var call: String
  var number: Int32

  /// Whether datagrams were lost because nobody read them in time.
  var isOverrun: Bool { number == ENOBUFS }

  var description: String { "\(call): \(String(cString: strerror(number)))" }
}

/// A netlink socket of the kernel.
final class KernelNetlinkSocket: NetlinkSocket {
  let descriptor: Int32

  /// Opens a socket in the network namespace of the calling thread.
  ///
  /// - Parameters:
  ///   - isListening: Whether changes of links, addresses and routes are told to it; it then never
  ///     waits. Otherwise it waits a second at most for an answer.
  ///   - receiveBufferBytes: How much may wait to be received; `nil` leaves it to the kernel.
  /// - Throws: ``NetlinkError`` where the kernel has no netlink or does not let us.
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
    var patience = timeval(tv_sec: 1, tv_usec: 0)
    _ = setsockopt(
      descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  func send(_ bytes: [UInt8]) throws(NetlinkError) {
    guard Glibc.send(descriptor, bytes, bytes.count, 0) == bytes.count else {
      throw NetlinkError(call: "send", number: errno)
    }
  }

  func receive() throws(NetlinkError) -> [UInt8]? {
    // The kernel fills at most 32 KiB a datagram of a dump.
    try withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 1) {
      buffer throws(NetlinkError) in
      while true {
        let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
        if count >= 0 { return Array(UnsafeRawBufferPointer(buffer).prefix(count)) }
        switch errno {
        case EINTR: continue
        case EAGAIN: return nil
        case let number: throw NetlinkError(call: "recv", number: number)
        }
      }
    }
  }
}
