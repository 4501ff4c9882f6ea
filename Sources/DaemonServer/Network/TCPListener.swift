// SPDX-License-Identifier: Apache-2.0

internal import CNetlink
internal import Glibc
internal import SystemSupport

/// Creates listening TCP sockets.
enum TCPListener {
  /// Maximum number of connections that wait in the kernel.
  ///
  /// They wait here while the acceptor waits for the event loop. Beyond this number, the kernel of a
  /// client repeats its request after a second.
  private static let backlog: Int32 = 1024

  /// Listens on an address.
  ///
  /// An IPv6 socket accepts no IPv4 connections, so that both families can use the same port.
  static func listen(on address: ListenAddress) throws(ListenFailure) -> Int32 {
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    let descriptor = socket(address.isIPv6 ? AF_INET6 : AF_INET, kind, 0)
    guard descriptor >= 0 else { throw ListenFailure(address, "socket", errno) }
    var on: Int32 = 1
    let size = socklen_t(MemoryLayout<Int32>.size)
    // Allows a restart while old connections are in TIME_WAIT, not a second listener.
    _ = setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, size)
    if address.isIPv6 {
      _ = setsockopt(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &on, size)
    }
    var call = "bind"
    var code = address.withSocketAddress { bind(descriptor, $0, $1) }
    if code == 0 {
      call = "listen"
      code = Glibc.listen(descriptor, backlog)
    }
    guard code == 0 else {
      let failure = ListenFailure(address, call, errno)
      close(descriptor)
      throw failure
    }
    return descriptor
  }

  /// Returns the address of a TCP socket; `nil` for another socket.
  static func address(of socket: Int32) -> ListenAddress? {
    SocketOwner.address(of: socket, getsockname)
  }

  /// Duplicates a listening socket of another program, in blocking mode.
  static func duplicate(_ socket: Int32) throws(ListenFailure) -> Int32 {
    guard let address = address(of: socket) else {
      throw ListenFailure(ListenAddress(bytes: [0, 0, 0, 0], port: 0), "getsockname", ENOTSOCK)
    }
    let descriptor = fcntl(socket, F_DUPFD_CLOEXEC, 0)
    guard descriptor >= 0 else { throw ListenFailure(address, "fcntl", errno) }
    _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) & ~O_NONBLOCK)
    return descriptor
  }
}

/// An error that prevents listening on a TCP address.
struct ListenFailure: Error, Equatable, CustomStringConvertible {
  let address: ListenAddress
  let call: String
  let number: Int32

  init(_ address: ListenAddress, _ call: String, _ number: Int32) {
    self.address = address
    self.call = call
    self.number = number
  }

  var description: String {
    let reason = "\(address): \(call): \(String(cString: strerror(number)))"
    guard number == EADDRINUSE else { return reason }
    // Debian's gpsd.socket listens on this port even while gpsd does not run.
    let stop =
      address.port == 2947
      ? "if gpsd uses it, stop gpsd with: sudo systemctl disable --now gpsd.socket gpsd"
      : "another program uses the port: stop it, or set another port with listen and run: "
        + "sudo systemctl reload fixcast"
    return "\(reason); \(stop); the daemon tries again every \(FeedServer.retrySeconds) s"
  }
}

extension ListenAddress {
  /// Calls `body` with the address in the form of the system calls.
  fileprivate func withSocketAddress<Result>(
    _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
  ) -> Result {
    guard isIPv6 else {
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = port.bigEndian
      withUnsafeMutableBytes(of: &address.sin_addr) { $0.copyBytes(from: bytes.prefix($0.count)) }
      return Self.withGeneric(&address, body)
    }
    var address = sockaddr_in6()
    address.sin6_family = sa_family_t(AF_INET6)
    address.sin6_port = port.bigEndian
    withUnsafeMutableBytes(of: &address.sin6_addr) { $0.copyBytes(from: bytes.prefix($0.count)) }
    return Self.withGeneric(&address, body)
  }

  private static func withGeneric<Address, Result>(
    _ address: inout Address, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
  ) -> Result {
    withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        body($0, socklen_t(MemoryLayout<Address>.size))
      }
    }
  }
}
