// SPDX-License-Identifier: Apache-2.0

import Glibc
internal import SystemSupport

/// An address to connect to, as the resolver returned it.
struct SocketAddress {
  /// The maximum number of addresses tried per host; further addresses are ignored.
  static let limit = 16

  private let storage: sockaddr_storage
  private let length: socklen_t

  /// Resolves a host and returns its addresses in the order to try them.
  ///
  /// Blocks until the resolver returns: with the defaults of resolv.conf(5), up to half a minute.
  /// A numeric address needs no lookup.
  static func resolve(_ address: GPSDAddress) throws(GPSDConnectionError) -> [SocketAddress] {
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    hints.ai_flags = AI_NUMERICSERV
    var first: UnsafeMutablePointer<addrinfo>?
    let code = getaddrinfo(address.host, "\(address.port)", &hints, &first)
    guard code == 0 else {
      let number = errno
      throw .unresolvedName(
        code == EAI_SYSTEM
          ? SystemCallFailure.text(for: number) : String(cString: gai_strerror(code)))
    }
    defer { freeaddrinfo(first) }
    var addresses: [SocketAddress] = []
    var next = first
    while let entry = next, addresses.count < limit {
      if let address = SocketAddress(entry.pointee) { addresses.append(address) }
      next = entry.pointee.ai_next
    }
    return addresses
  }

  private init?(_ entry: addrinfo) {
    guard let address = entry.ai_addr,
      entry.ai_addrlen <= socklen_t(MemoryLayout<sockaddr_storage>.size)
    else { return nil }
    var storage = sockaddr_storage()
    withUnsafeMutableBytes(of: &storage) {
      $0.copyMemory(from: UnsafeRawBufferPointer(start: address, count: Int(entry.ai_addrlen)))
    }
    (self.storage, length) = (storage, entry.ai_addrlen)
  }

  /// Whether the address is a loopback address.
  var isLoopback: Bool {
    withUnsafeBytes(of: storage) { bytes in
      switch Int32(storage.ss_family) {
      case AF_INET: bytes[4] == 127
      case AF_INET6: bytes[8..<23].allSatisfy { $0 == 0 } && bytes[23] == 1
      default: false
      }
    }
  }

  /// Starts a non-blocking connect and returns the socket.
  ///
  /// poll(2) reports the socket as writable when the attempt has finished; `SO_ERROR` holds the
  /// result.
  func beginConnecting() throws(SystemCallFailure) -> Int32 {
    let kind = SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
    let family = Int32(storage.ss_family)
    let descriptor = try SystemCall.run("socket") { socket(family, Int32(kind), 0) }
    let result = withUnsafePointer(to: storage) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, length) }
    }
    // After EINTR the kernel continues to connect.
    guard result == 0 || errno == EINPROGRESS || errno == EINTR else {
      let number = errno
      SystemCall.close(descriptor)
      throw SystemCallFailure(call: "connect", number: number)
    }
    return descriptor
  }
}
