// SPDX-License-Identifier: Apache-2.0

import SystemSupport
import Testing

@testable import DaemonServer

@Suite("The owner of a TCP socket, as the kernel states it") struct SocketOwnerTests {
  private typealias Addresses = (peer: String, local: String)

  private static let version4 = (peer: "127.0.0.5:40000", local: "127.0.0.1:2947")

  private static func connection(
    _ addresses: Addresses = version4
  ) throws -> SocketOwner.Connection {
    .init(
      peer: try #require(ListenAddress(addresses.peer)),
      local: try #require(ListenAddress(addresses.local)))
  }

  /// A reply of Linux 6.1 for user 65534, inode 185708 and control group 4711, with the attributes
  /// 8 (shutdown), 21 (control group) and 22 (options).
  ///
  /// `state` is 1 for an established connection and 10 for a listening socket.
  private static func reply(
    user: UInt32 = 65_534, inode: UInt32 = 185_708, group: UInt64? = 4711, state: UInt8 = 1,
    interface: UInt32 = 0, _ addresses: Addresses = version4
  ) throws -> [UInt8] {
    let connection = try connection(addresses)
    var body: [UInt8] = [connection.peer.isIPv6 ? 10 : 2, state, 0, 0]
    body += bytes(connection.peer.port.bigEndian) + bytes(connection.local.port.bigEndian)
    for address in [connection.peer, connection.local] {
      body += address.bytes + [UInt8](repeating: 0, count: 16 - address.bytes.count)
    }
    body += bytes(interface) + [UInt8](repeating: 0, count: 8)
    body += bytes(UInt32(0)) + bytes(UInt32(0)) + bytes(UInt32(0)) + bytes(user) + bytes(inode)
    body += bytes(UInt16(5)) + bytes(UInt16(8)) + [0, 0, 0, 0]
    if let group { body += bytes(UInt16(12)) + bytes(UInt16(21)) + bytes(group) }
    body += bytes(UInt16(6)) + bytes(UInt16(22)) + [0, 0, 0, 0]
    return header(20, body.count) + body
  }

  private static func header(_ type: UInt16, _ count: Int) -> [UInt8] {
    bytes(UInt32(16 + count)) + bytes(type) + bytes(UInt16(0)) + bytes(UInt32(1))
      + bytes(UInt32(77))
  }

  private static func bytes<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
    withUnsafeBytes(of: number) { Array($0) }
  }

  @Test func `a reply states user and control group`() throws {
    let connection = try Self.connection()
    // A socket that is bound to the loopback interface has the number 1.
    for interface: UInt32 in [0, 1] {
      let owner = try SocketOwner(reply: Self.reply(interface: interface), to: connection)
      #expect(owner.userID == 65_534)
      #expect(owner.controlGroup == 4711)
    }
    #expect(try SocketOwner(reply: Self.reply(group: nil), to: connection).controlGroup == nil)
  }

  @Test(arguments: UInt8(0)...13)
  func `a client that has closed its sending side has an owner, another state has none`(state: UInt8) throws {
    let owner = try? SocketOwner(reply: Self.reply(state: state), to: Self.connection())
    #expect((owner != nil) == [1, 4, 5].contains(state))
  }

  @Test func `a socket that listens on the client's port is not the client's`() throws {
    let connection = try Self.connection()
    for addresses in [
      ("127.0.0.5:40000", "0.0.0.0:0"), ("0.0.0.0:40000", "0.0.0.0:0"), Self.version4,
    ] as [Addresses] {
      let reply = try Self.listenerReply(addresses)
      #expect(throws: SocketOwner.Failure.otherSocket) {
        try SocketOwner(reply: reply, to: connection)
      }
    }
  }

  /// A reply for a listening socket of root, whose remote port is 0.
  private static func listenerReply(_ addresses: Addresses) throws -> [UInt8] {
    let local = addresses.1.hasSuffix(":0") ? "0.0.0.0:1" : addresses.1
    var reply = try reply(user: 0, state: 10, (addresses.0, local))
    if local != addresses.1 { reply.replaceSubrange(22..<24, with: [0, 0]) }
    return reply
  }

  @Test func `a reply for a socket with another address, port or interface has no owner`() throws {
    let connection = try Self.connection()
    for addresses in [
      ("127.0.0.5:40001", "127.0.0.1:2947"), ("127.0.0.5:40000", "127.0.0.1:2948"),
      ("127.0.0.6:40000", "127.0.0.1:2947"), ("127.0.0.5:40000", "127.0.0.2:2947"),
      ("127.0.0.1:2947", "127.0.0.5:40000"), ("[::1]:40000", "[::1]:2947"),
    ] as [Addresses] {
      let reply = try Self.reply(user: 0, addresses)
      #expect(throws: SocketOwner.Failure.otherSocket) {
        try SocketOwner(reply: reply, to: connection)
      }
    }
    let reply = try Self.reply(user: 0, interface: 2)
    #expect(throws: SocketOwner.Failure.otherSocket) {
      try SocketOwner(reply: reply, to: connection)
    }
    var unknownFamily = try Self.reply(user: 0)
    unknownFamily[16] = 1
    #expect(throws: SocketOwner.Failure.otherSocket) {
      try SocketOwner(reply: unknownFamily, to: connection)
    }
  }

  @Test func `a connection over IPv6 or between IPv4-mapped addresses has an owner`() throws {
    let version6: Addresses = ("[::1]:40000", "[::1]:2947")
    #expect(
      try SocketOwner(reply: Self.reply(version6), to: Self.connection(version6)).userID == 65_534)
    let mapped: Addresses = ("[::ffff:127.0.0.5]:40000", "[::ffff:127.0.0.1]:2947")
    // The kernel states the addresses of an IPv6 socket, although the connection uses IPv4.
    for (stated, requested) in [
      (mapped, Self.version4), (mapped, mapped), (Self.version4, mapped),
    ] as [(Addresses, Addresses)] {
      let owner = try SocketOwner(reply: Self.reply(stated), to: Self.connection(requested))
      #expect(owner.userID == 65_534)
    }
  }

  @Test func `a closed socket, of which the kernel states user 0, has no owner`() throws {
    let reply = try Self.reply(user: 0, inode: 0)
    let connection = try Self.connection()
    #expect(throws: SocketOwner.Failure.closed) {
      try SocketOwner(reply: reply, to: connection)
    }
  }

  @Test func `an error reply and an unknown message have no owner`() throws {
    let connection = try Self.connection()
    let notFound = Self.header(2, 20) + Self.bytes(Int32(-2)) + [UInt8](repeating: 0, count: 16)
    #expect(throws: SocketOwner.Failure.kernel(2)) {
      try SocketOwner(reply: notFound, to: connection)
    }
    for number in [Int32(0), 5, .min] {
      let reply = Self.header(2, 4) + Self.bytes(number)
      #expect(throws: SocketOwner.Failure.malformed) {
        try SocketOwner(reply: reply, to: connection)
      }
    }
    var other = try Self.reply()
    other[4] = 3
    #expect(throws: SocketOwner.Failure.malformed) {
      try SocketOwner(reply: other, to: connection)
    }
  }

  @Test func `a truncated or damaged reply never names root as the owner`() throws {
    let reply = try Self.reply()
    let connection = try Self.connection()
    for count in 0..<reply.count {
      #expect(throws: SocketOwner.Failure.malformed) {
        try SocketOwner(reply: Array(reply.prefix(count)), to: connection)
      }
    }
    for offset in reply.indices {
      for value in [0, 1, 4, 255] as [UInt8] {
        var damaged = reply
        damaged[offset] = value
        // The decoder must not trap.
        let owner = try? SocketOwner(reply: damaged, to: connection)
        #expect(owner?.userID != 0)
      }
    }
  }

  @Test func `an IPv4-mapped address is requested as IPv4, from the client's point of view`() throws {
    let peer = try #require(ListenAddress("[::ffff:127.0.0.1]:40000"))
    let local = try #require(ListenAddress("127.0.0.1:2947"))
    let request = SocketOwner.request(.init(peer: peer, local: local))
    #expect(request.count == 72)
    #expect(Array(request[16..<20]) == [2, 6, 0, 0])
    #expect(Array(request[24..<28]) == [0x9C, 0x40, 0x0B, 0x83])
    #expect(Array(request[28..<32]) == [127, 0, 0, 1])
    #expect(Array(request[44..<48]) == [127, 0, 0, 1])
    // The loopback interface: otherwise the kernel does not find a socket that is bound to it.
    #expect(Array(request[60..<64]) == Self.bytes(UInt32(1)))
    let version6 = try #require(ListenAddress("[::1]:2947"))
    #expect(SocketOwner.request(.init(peer: version6, local: version6))[16] == 10)
  }

  @Test(arguments: ["127.0.0.1:2947", "[::1]:2947", "0.0.0.0:1", "[fe80::1]:65535"])
  func `addresses are read as written`(text: String) {
    #expect(ListenAddress(text)?.description == text)
  }

  @Test(arguments: [
    "", ":", "2947", "127.0.0.1", "localhost:2947", "127.0.0.1:0", "127.0.0.1:65536", "::1:2947",
    "[::1]", "[127.0.0.1]:2947", "127.0.0.1:+5", "127.0.0.1:2947 ",
  ])
  func `other texts are no addresses`(text: String) {
    #expect(ListenAddress(text) == nil)
  }
}
