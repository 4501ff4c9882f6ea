// SPDX-License-Identifier: Apache-2.0

import SystemSupport
import Testing

@testable import DaemonServer

@Suite("The owner of a TCP socket, as the kernel states it") struct SocketOwnerTests {
  /// A reply of Linux 6.1 for user 65534, inode 185708 and control group 4711, with the attributes
  /// 8 (shutdown), 21 (control group) and 22 (options).
  private static func reply(
    user: UInt32 = 65_534, inode: UInt32 = 185_708, group: UInt64? = 4711
  ) -> [UInt8] {
    var body: [UInt8] = [2, 1, 0, 0]
    body += bytes(UInt16(40_000).bigEndian) + bytes(UInt16(2947).bigEndian)
    body += [127, 0, 0, 1] + [UInt8](repeating: 0, count: 12)
    body += [127, 0, 0, 1] + [UInt8](repeating: 0, count: 12)
    body += [UInt8](repeating: 0, count: 4 + 8)
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

  @Test("a reply states user and control group")
  func decoded() throws {
    let owner = try SocketOwner(reply: Self.reply())
    #expect(owner.userID == 65_534)
    #expect(owner.controlGroup == 4711)
    #expect(try SocketOwner(reply: Self.reply(group: nil)).controlGroup == nil)
  }

  @Test("a closed socket, of which the kernel states user 0, has no owner")
  func closed() {
    #expect(throws: SocketOwner.Failure.closed) {
      try SocketOwner(reply: Self.reply(user: 0, inode: 0))
    }
  }

  @Test("an error reply and an unknown message have no owner")
  func refused() {
    let notFound = Self.header(2, 20) + Self.bytes(Int32(-2)) + [UInt8](repeating: 0, count: 16)
    #expect(throws: SocketOwner.Failure.kernel(2)) { try SocketOwner(reply: notFound) }
    for number in [Int32(0), 5, .min] {
      let reply = Self.header(2, 4) + Self.bytes(number)
      #expect(throws: SocketOwner.Failure.malformed) { try SocketOwner(reply: reply) }
    }
    var other = Self.reply()
    other[4] = 3
    #expect(throws: SocketOwner.Failure.malformed) { try SocketOwner(reply: other) }
  }

  @Test("no truncated or damaged reply is mistaken for one with an owner of user 0")
  func damaged() throws {
    let reply = Self.reply()
    for count in 0..<reply.count {
      #expect(throws: SocketOwner.Failure.malformed) {
        try SocketOwner(reply: Array(reply.prefix(count)))
      }
    }
    for offset in reply.indices {
      for value in [0, 1, 4, 255] as [UInt8] {
        var damaged = reply
        damaged[offset] = value
        // The decoder must not trap.
        let owner = try? SocketOwner(reply: damaged)
        #expect(owner?.userID != 0)
      }
    }
  }

  @Test("an IPv4-mapped address is requested as IPv4, from the client's point of view")
  func request() throws {
    let peer = try #require(ListenAddress("[::ffff:127.0.0.1]:40000"))
    let local = try #require(ListenAddress("127.0.0.1:2947"))
    let request = SocketOwner.request(peer: peer, local: local)
    #expect(request.count == 72)
    #expect(Array(request[16..<20]) == [2, 6, 0, 0])
    #expect(Array(request[24..<28]) == [0x9C, 0x40, 0x0B, 0x83])
    #expect(Array(request[28..<32]) == [127, 0, 0, 1])
    #expect(Array(request[44..<48]) == [127, 0, 0, 1])
    let version6 = try #require(ListenAddress("[::1]:2947"))
    #expect(SocketOwner.request(peer: version6, local: version6)[16] == 10)
  }

  @Test(
    "addresses are read as written",
    arguments: ["127.0.0.1:2947", "[::1]:2947", "0.0.0.0:1", "[fe80::1]:65535"])
  func addresses(text: String) {
    #expect(ListenAddress(text)?.description == text)
  }

  @Test(
    "other texts are no addresses",
    arguments: [
      "", ":", "2947", "127.0.0.1", "localhost:2947", "127.0.0.1:0", "127.0.0.1:65536", "::1:2947",
      "[::1]", "[127.0.0.1]:2947", "127.0.0.1:+5", "127.0.0.1:2947 ",
    ])
  func noAddresses(text: String) {
    #expect(ListenAddress(text) == nil)
  }
}
