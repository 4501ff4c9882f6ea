// SPDX-License-Identifier: Apache-2.0

internal import CNetlink
internal import Glibc
internal import SystemSupport

extension SocketOwner {
  /// Asks the kernel for the owner of the other end of a connected TCP socket.
  ///
  /// - Throws: ``Failure``, also if a system call fails.
  init(peerOf socket: Int32) throws(Failure) {
    guard let peer = Self.address(of: socket, getpeername),
      let local = Self.address(of: socket, getsockname)
    else { throw .closed }
    let kind = Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue)
    let netlink = Glibc.socket(AF_NETLINK, kind, NETLINK_SOCK_DIAG)
    guard netlink >= 0 else { throw .kernel(errno) }
    defer { close(netlink) }
    // The kernel answers while it handles the request; the timeout is only a safeguard.
    var timeout = timeval(tv_sec: 1, tv_usec: 0)
    _ = setsockopt(
      netlink, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
    let connection = Connection(peer: peer, local: local)
    let request = Self.request(connection)
    guard send(netlink, request, request.count, 0) == request.count else { throw .kernel(errno) }
    var reply = [UInt8](repeating: 0, count: 4096)
    var count = recv(netlink, &reply, reply.count, 0)
    while count < 0, errno == EINTR { count = recv(netlink, &reply, reply.count, 0) }
    guard count >= 0 else { throw .kernel(errno) }
    try self.init(reply: Array(reply.prefix(count)), to: connection)
  }

  /// Returns one of the two addresses of a TCP socket; `nil` for another socket.
  static func address(
    of socket: Int32,
    _ call: (Int32, UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
  ) -> ListenAddress? {
    var storage = sockaddr_storage()
    var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
    return withUnsafeMutablePointer(to: &storage) { pointer -> ListenAddress? in
      let code = pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        call(socket, $0, &size)
      }
      guard code == 0 else { return nil }
      switch Int32(pointer.pointee.ss_family) {
      case AF_INET:
        return pointer.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
          let bytes = withUnsafeBytes(of: $0.pointee.sin_addr) { Array($0) }
          return ListenAddress(bytes: bytes, port: UInt16(bigEndian: $0.pointee.sin_port))
        }
      case AF_INET6:
        return pointer.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) {
          let bytes = withUnsafeBytes(of: $0.pointee.sin6_addr) { Array($0) }
          return ListenAddress(bytes: bytes, port: UInt16(bigEndian: $0.pointee.sin6_port))
        }
      default: return nil
      }
    }
  }
}
