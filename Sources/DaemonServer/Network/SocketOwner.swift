// SPDX-License-Identifier: Apache-2.0

internal import CNetlink
internal import Glibc
internal import SystemSupport

/// The user and the control group of the program that owns a local TCP socket, as stated by the
/// kernel's socket diagnostics (sock_diag(7)).
///
/// The kernel states the user and the group at the time when the socket was created, not the program
/// that holds the socket now. A program that passes its connected socket to another program, or whose
/// child inherits it, thereby passes its access for as long as the connection is open. On a Unix
/// socket, the access ends with the process that connected.
struct SocketOwner: Equatable, Sendable {
  /// The addresses of a connection.
  struct Connection: Equatable, Sendable {
    /// The address of the client.
    var peer: ListenAddress
    /// The address of this program.
    var local: ListenAddress
  }

  /// An error of a reply.
  enum Failure: Error, Equatable {
    /// The reply is incomplete or of another type.
    case malformed
    /// The kernel has refused the request; `ENOENT` if there is no such socket.
    case kernel(Int32)
    /// The program has closed the socket.
    ///
    /// The kernel then states user 0, which must not be mistaken for root.
    case closed
    /// The reply describes another socket, such as one that listens on the client's port.
    case otherSocket
  }

  var userID: UInt32
  /// The number of the control group; `nil` if the kernel does not state it.
  var controlGroup: UInt64?

  // The layout of the messages, see linux/inet_diag.h.
  private static let messageType: UInt16 = 20
  private static let headerBytes = 16
  private static let bodyBytes = 72
  private static let familyOffset = 0
  private static let stateOffset = 1
  private static let sourcePortOffset = 4
  private static let targetPortOffset = 6
  private static let sourceOffset = 8
  private static let targetOffset = 24
  private static let interfaceOffset = 40
  private static let userOffset = 64
  private static let inodeOffset = 68
  private static let controlGroupAttribute: UInt16 = 21
  /// The number of the loopback interface in each network namespace, `LOOPBACK_IFINDEX`.
  ///
  /// The kernel finds a socket that is bound to an interface only by the number of that interface. Any
  /// user may bind a socket to the loopback interface. For a request without a number, the kernel would
  /// state the owner of a listening socket with the same port instead.
  private static let loopback: UInt32 = 1
  /// The states of a client's socket before the server has closed its side: established, and closed for
  /// sending (`TCP_ESTABLISHED`, `TCP_FIN_WAIT1`, `TCP_FIN_WAIT2`).
  private static let connectedStates: Set<UInt8> = [1, 4, 5]

  /// Encodes the request for the client's socket of a connection.
  ///
  /// Requests exactly this socket, not a list, so an unprivileged program may send the request.
  static func request(_ connection: Connection) -> [UInt8] {
    let peer = connection.peer.unmapped
    let local = connection.local.unmapped
    var body: [UInt8] = [UInt8(peer.isIPv6 ? AF_INET6 : AF_INET), UInt8(IPPROTO_TCP), 0, 0]
    // All states.
    body.append(number: UInt32.max)
    // The socket from its owner's point of view: the peer's address is the source.
    body.append(number: peer.port.bigEndian)
    body.append(number: local.port.bigEndian)
    for address in [peer, local] {
      body += address.bytes + [UInt8](repeating: 0, count: 16 - address.bytes.count)
    }
    body.append(number: loopback)
    // No cookie: the addresses identify the socket.
    body.append(number: UInt64.max)
    var message: [UInt8] = []
    message.append(number: UInt32(headerBytes + body.count))
    message.append(number: messageType)
    message.append(number: UInt16(NLM_F_REQUEST))
    message.append(number: UInt32(1))
    message.append(number: UInt32(0))
    return message + body
  }

  /// Decodes the reply to the request for a connection.
  ///
  /// - Throws: ``Failure/otherSocket`` unless the reply states the addresses of the connection and a
  ///   connected state.
  init(reply: [UInt8], to connection: Connection) throws(Failure) {
    guard let length = reply.number(at: 0, as: UInt32.self).flatMap({ Int(exactly: $0) }),
      let type = reply.number(at: 4, as: UInt16.self), length <= reply.count
    else { throw .malformed }
    if type == UInt16(NLMSG_ERROR) {
      guard let number = reply.number(at: Self.headerBytes, as: Int32.self), number < 0,
        number > Int32.min
      else { throw .malformed }
      throw .kernel(-number)
    }
    let start = Self.headerBytes
    guard type == Self.messageType, length >= start + Self.bodyBytes,
      let userID = reply.number(at: start + Self.userOffset, as: UInt32.self),
      let inode = reply.number(at: start + Self.inodeOffset, as: UInt32.self)
    else { throw .malformed }
    guard Self.describes(connection, reply[start...]) else { throw .otherSocket }
    guard inode != 0 else { throw .closed }
    self.userID = userID
    var offset = start + Self.bodyBytes
    while offset + 4 <= length {
      guard let size = reply.number(at: offset, as: UInt16.self).map(Int.init), size >= 4,
        offset + size <= length
      else { throw .malformed }
      if reply.number(at: offset + 2, as: UInt16.self) == Self.controlGroupAttribute, size >= 12 {
        controlGroup = reply.number(at: offset + 4, as: UInt64.self)
      }
      offset += (size + 3) & ~3
    }
  }

  /// Whether the body of a reply describes the client's socket of a connection.
  private static func describes(_ connection: Connection, _ body: ArraySlice<UInt8>) -> Bool {
    let body = Array(body)
    guard body.count >= bodyBytes, connectedStates.contains(body[stateOffset]),
      let interface = body.number(at: interfaceOffset, as: UInt32.self),
      interface == 0 || interface == loopback,
      let peer = address(in: body, at: sourceOffset, portOffset: sourcePortOffset),
      let local = address(in: body, at: targetOffset, portOffset: targetPortOffset)
    else { return false }
    return peer.unmapped == connection.peer.unmapped && local.unmapped == connection.local.unmapped
  }

  private static func address(
    in body: [UInt8], at offset: Int, portOffset: Int
  ) -> ListenAddress? {
    let count: Int
    switch Int32(body[familyOffset]) {
    case AF_INET: count = 4
    case AF_INET6: count = 16
    default: return nil
    }
    return body.number(at: portOffset, as: UInt16.self).map {
      ListenAddress(bytes: Array(body[offset..<(offset + count)]), port: UInt16(bigEndian: $0))
    }
  }
}

extension ListenAddress {
  /// The IPv4 address of an IPv4-mapped address, under which the kernel lists the socket.
  var unmapped: ListenAddress { ListenAddress(bytes: address.unmapped.bytes, port: port) }
}

extension [UInt8] {
  /// Returns a number in the host's byte order; `nil` if it is out of bounds.
  fileprivate func number<Number: FixedWidthInteger>(
    at offset: Int, as type: Number.Type
  ) -> Number? {
    guard offset >= 0, offset <= count - MemoryLayout<Number>.size else { return nil }
    return withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: type) }
  }

  fileprivate mutating func append<Number: FixedWidthInteger>(number: Number) {
    Swift.withUnsafeBytes(of: number) { append(contentsOf: $0) }
  }
}
