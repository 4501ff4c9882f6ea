// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import PathMonitorClient
import Synchronization
import Testing

@testable import PathMonitorClientLive

@Suite("Netlink reader")
struct NetlinkReaderTests {
  typealias Frames = NetlinkFramesTests

  static let interruptedDone = Frames.frame(
    "14 00 00 00  03 00  12 00  00 00 00 00  00 00 00 00  00 00 00 00 ; DONE, DUMP_INTR")
  static let failedDone = Frames.frame(
    "14 00 00 00  03 00  02 00  00 00 00 00  00 00 00 00  F0 FF FF FF ; DONE, -EBUSY")
  static let unreachable = Frames.frame(
    "14 00 00 00  02 00  00 00  00 00 00 00  00 00 00 00  9B FF FF FF ; -ENETUNREACH")
  static let forbidden = Frames.frame(
    "14 00 00 00  02 00  00 00  00 00 00 00  00 00 00 00  FF FF FF FF ; -EPERM")

  @Test func `the netlink reader makes a snapshot from recorded frames`() throws {
    let socket = RecordedNetlinkSocket(
      links: [[Frames.link]], addresses: [[Frames.address]],
      routes: [[Frames.route, Frames.multipath]], lookup: [Frames.route])
    var reader = NetlinkReader(socket: socket)
    let snapshot = try reader.snapshot(to: .address([10, 0, 0, 9]))
    #expect(snapshot.links.map(\.name) == ["eth0"])
    #expect(snapshot.addresses.map(\.index) == [2])
    #expect(snapshot.routes.map(\.index) == [2, 2, 3])
    #expect(snapshot.routeToDestination?.metric == 100)
    #expect(socket.requestTypes == [18, 22, 26, 26])
  }

  @Test func `the netlink reader repeats an interrupted dump, with at most three attempts`() throws {
    let once = RecordedNetlinkSocket(links: [[Frames.link, Self.interruptedDone], [Frames.link]])
    var reader = NetlinkReader(socket: once)
    #expect(try reader.snapshot(to: .localNetwork).links.count == 1)
    #expect(once.requestTypes == [18, 18, 22, 26])
    let always = RecordedNetlinkSocket(links: [[Frames.link, Self.interruptedDone]])
    reader = NetlinkReader(socket: always)
    #expect(try reader.snapshot(to: .localNetwork).links.count == 1)
    #expect(always.requestTypes == [18, 18, 18, 22, 26])
  }

  @Test func `an unreachable address has no route, and the netlink reader throws other errors`() throws {
    var reader = NetlinkReader(
      socket: RecordedNetlinkSocket(routes: [[]], lookup: [Self.unreachable]))
    #expect(try reader.snapshot(to: .address([10, 0, 0, 9])).routeToDestination == nil)
    reader = NetlinkReader(socket: RecordedNetlinkSocket(routes: [[]], lookup: [Self.forbidden]))
    #expect(throws: NetlinkError(call: "netlink", number: 1)) {
      try reader.snapshot(to: .address([10, 0, 0, 9]))
    }
    reader = NetlinkReader(socket: RecordedNetlinkSocket(links: [[Self.failedDone]]))
    #expect(throws: NetlinkError(call: "netlink", number: 16)) {
      try reader.snapshot(to: .localNetwork)
    }
  }

  @Test(arguments: [(nil, 4), (unreachable, 2)] as [([UInt8]?, Int)])
  func `an address family has internet routes only if each of its test addresses has a route`(
    last: [UInt8]?, count: Int
  ) throws {
    let routes = [[], [Frames.route], [Frames.route], [Frames.route], [last ?? Frames.route]]
    let socket = RecordedNetlinkSocket(routes: routes)
    var reader = NetlinkReader(socket: socket)
    let snapshot = try reader.snapshot(to: .internet)
    #expect(socket.requestTypes == [18, 22, 26, 26, 26, 26, 26])
    #expect(snapshot.routesToInternet.count == count)
  }

  /// A socket that returns 40 random frames and then nothing.
  private final class NoisySocket: NetlinkSocket {
    let descriptor: Int32 = -1
    private let state: Mutex<(generator: SeededGenerator, left: Int)>

    init(seed: UInt64) { state = Mutex((SeededGenerator(seed: seed), 40)) }

    func send(_ bytes: [UInt8]) throws(NetlinkError) {}

    func receive() throws(NetlinkError) -> [UInt8]? {
      state.withLock { state in
        guard state.left > 0 else { return nil }
        state.left -= 1
        let frames = [
          Frames.link, Frames.address, Frames.route, RecordedNetlinkSocket.done, Frames.multipath,
        ]
        var frame = frames.randomElement(using: &state.generator) ?? []
        // The random sequence numbers include those of the first requests, so that some replies are
        // accepted.
        frame[8] = UInt8.random(in: 1...4, using: &state.generator)
        for _ in 0..<Int.random(in: 0...3, using: &state.generator) {
          frame[Int.random(in: frame.indices, using: &state.generator)] = UInt8.random(
            in: 0...255, using: &state.generator)
        }
        return frame
      }
    }
  }

  @Test func `random netlink replies do not crash the reader`() {
    var (answered, failed) = (0, 0)
    for seed in 0..<5000 as Range<UInt64> {
      var reader = NetlinkReader(socket: NoisySocket(seed: seed))
      do throws(NetlinkError) {
        let snapshot = try reader.snapshot(to: .address([10, 0, 0, 9]))
        _ = NetworkPath(snapshot, to: .internet)
        answered += 1
      } catch { failed += 1 }
    }
    #expect(answered > 100 && failed > 100, "\(answered) answered, \(failed) failed")
  }
}
