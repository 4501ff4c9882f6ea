// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Testing

@testable import PathMonitorClientLive

/// Frames in the format of a little-endian kernel.
@Suite("Netlink frames")
struct NetlinkFramesTests {
  /// Reads hex digits up to `;`, line by line.
  static func frame(_ text: String) -> [UInt8] {
    text.split(separator: "\n").flatMap { line in
      line.prefix { $0 != ";" }.split(separator: " ").compactMap { UInt8($0, radix: 16) }
    }
  }

  static let link = frame(
    """
    40 00 00 00  10 00  02 00  01 00 00 00  00 00 00 00  ; 64 bytes, RTM_NEWLINK, multi, seq 1
    00 00 01 00  02 00 00 00  43 00 01 00  00 00 00 00   ; Ethernet, index 2, UP RUNNING LOWER_UP
    09 00 03 00  65 74 68 30 00 00 00 00                 ; IFLA_IFNAME "eth0", 3 bytes padding
    14 00 12 00                                          ; IFLA_LINKINFO
    09 00 01 00  76 65 74 68 00 00 00 00                 ;   IFLA_INFO_KIND "veth"
    05 00 10 00                                          ;   truncated: length 5, has 4
    """)

  static let address = frame(
    """
    20 00 00 00  14 00  02 00  02 00 00 00  00 00 00 00  ; 32 bytes, RTM_NEWADDR
    02 18 80 00  02 00 00 00                             ; IPv4, /24, permanent, universe, index 2
    08 00 02 00  0A 00 00 07                             ; IFA_LOCAL 10.0.0.7
    """)

  static let route = frame(
    """
    34 00 00 00  18 00  02 00  03 00 00 00  00 00 00 00  ; 52 bytes, RTM_NEWROUTE
    02 00 00 00  FE 03 00 01  10 00 00 00                ; IPv4, /0, main, boot, unicast, LINKDOWN
    08 00 05 00  0A 00 00 01                             ; RTA_GATEWAY 10.0.0.1
    08 00 04 00  02 00 00 00                             ; RTA_OIF 2
    08 00 06 00  64 00 00 00                             ; RTA_PRIORITY 100
    """)

  static let multipath = frame(
    """
    34 00 00 00  18 00  02 00  03 00 00 00  00 00 00 00  ; 52 bytes, RTM_NEWROUTE
    02 00 00 00  FE 03 00 01  00 00 00 00                ; IPv4, /0, main, boot, unicast
    18 00 09 00                                          ; RTA_MULTIPATH
    08 00 10 00  02 00 00 00                             ;   LINKDOWN, index 2
    0C 00 00 00  03 00 00 00  08 00 05 00                ;   index 3, and a gateway cut short
    """)

  private func only(_ frame: [UInt8]) throws -> NetlinkMessage {
    let messages = NetlinkMessage.messages(in: frame)
    #expect(messages.count == 1)
    return try #require(messages.first)
  }

  @Test func `a link is parsed from a netlink frame`() throws {
    let link = try #require(NetworkSnapshot.Link(try only(Self.link)))
    #expect(
      link
        == NetworkSnapshot.Link(
          index: 2, name: "eth0", hardware: 1, kind: "veth", isUp: true, isRunning: true,
          isLoopback: false))
  }

  @Test func `an address is parsed from a netlink frame, and 169.254/16 is not global`() throws {
    let address = try #require(NetworkSnapshot.Address(try only(Self.address)))
    #expect(
      address
        == NetworkSnapshot.Address(index: 2, family: .ipv4, isGlobal: true, isUsable: true))
    var zeroconf = Self.address
    zeroconf.replaceSubrange(28..<30, with: [169, 254])
    #expect(NetworkSnapshot.Address(try only(zeroconf))?.isGlobal == false)
    var tentative = Self.address
    tentative[18] = 0x40
    #expect(NetworkSnapshot.Address(try only(tentative))?.isUsable == false)
  }

  @Test func `a route and each next hop of a multipath route are parsed`() throws {
    let route = NetworkSnapshot.Route(
      family: .ipv4, index: 2, destinationLength: 0, metric: 100, kind: .forwards,
      isInMainTable: true, isLinkDown: true)
    #expect(NetworkSnapshot.Route.routes(try only(Self.route)) == [route])
    let hops = NetworkSnapshot.Route.routes(try only(Self.multipath))
    #expect(hops.map(\.index) == [2, 3])
    #expect(hops.map(\.isLinkDown) == [true, false])
  }

  @Test func `all netlink messages before the first incomplete message of a datagram are parsed`() {
    let both = Self.link + Self.address
    #expect(NetlinkMessage.messages(in: both).map(\.type) == [16, 20])
    #expect(NetlinkMessage.messages(in: both.dropLast()).map(\.type) == [16])
    #expect(NetlinkMessage.messages(in: []).isEmpty)
  }

  @Test func `error messages and the end of a dump are recognized in netlink frames`() throws {
    let error = Self.frame(
      "14 00 00 00  02 00  00 00  05 00 00 00  00 00 00 00  9B FF FF FF ; -ENETUNREACH")
    #expect(try only(error).errorNumber == 101)
    let done = Self.frame("14 00 00 00  03 00  12 00  05 00 00 00  00 00 00 00  00 00 00 00")
    #expect(try only(done).endsDump)
    #expect(try only(done).isInterrupted)
    #expect(try only(done).errorNumber == nil)
    #expect(try only(done).endOfDumpErrorNumber == nil)
    let failed = Self.frame(
      "14 00 00 00  03 00  02 00  05 00 00 00  00 00 00 00  F0 FF FF FF ; ended by -EBUSY")
    #expect(try only(failed).endOfDumpErrorNumber == 16)
  }

  @Test func `parsing 100,000 damaged netlink frames never crashes`() {
    var generator = SeededGenerator(seed: 6)
    let validFrames = [Self.link, Self.address, Self.route, Self.multipath, Self.link + Self.route]
    var seen = 0
    for index in 0..<100_000 {
      var frame = validFrames[index % validFrames.count]
      for _ in 0...Int.random(in: 0...4, using: &generator) {
        let at = Int.random(in: frame.indices, using: &generator)
        frame[at] = UInt8.random(in: 0...255, using: &generator)
      }
      frame.removeLast(Int.random(in: 0...frame.count / 2, using: &generator))
      for message in NetlinkMessage.messages(in: frame) {
        seen += NetworkSnapshot.Link(message) == nil ? 0 : 1
        seen += NetworkSnapshot.Address(message) == nil ? 0 : 1
        seen += NetworkSnapshot.Route.routes(message).count
        _ = message.errorNumber
      }
    }
    #expect(seen > 1000)
  }

  @Test func `a netlink route request has the kernel's format`() {
    let bytes = NetlinkRequest.route(to: [10, 0, 0, 9]).bytes(sequence: 7)
    #expect(
      bytes
        == Self.frame(
          """
          24 00 00 00  1A 00  01 00  07 00 00 00  00 00 00 00  ; 36 bytes, RTM_GETROUTE, request
          02 20 00 00  00 00 00 00  00 00 00 00                ; IPv4, /32
          08 00 01 00  0A 00 00 09                             ; RTA_DST 10.0.0.9
          """))
  }
}
