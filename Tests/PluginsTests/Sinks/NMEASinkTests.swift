// SPDX-License-Identifier: Apache-2.0

import FixcastConfiguration
import FixcastTesting
import Glibc
import Logging
import Pipeline
import Positioning
import SystemSupport
import Testing

@testable import Plugins

@Suite("NMEA sink")
struct NMEASinkTests {
  /// A UDP socket that receives datagrams.
  private final class Receiver: Sendable {
    private let descriptor: Int32
    let port: UInt16

    /// Binds to a free port of an IPv4 address.
    init(at host: String, timeoutMilliseconds: Int = 30_000) {
      let descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
      self.descriptor = descriptor
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      inet_pton(AF_INET, host, &address.sin_addr)
      var length = socklen_t(MemoryLayout<sockaddr_in>.size)
      let isBound = withUnsafeMutablePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          bind(descriptor, $0, length) == 0 && getsockname(descriptor, $0, &length) == 0
        }
      }
      precondition(isBound)
      port = UInt16(bigEndian: address.sin_port)
      // The timeout ensures that a test fails instead of hanging if no datagram arrives.
      var timeout = timeval(tv_sec: timeoutMilliseconds / 1000, tv_usec: timeoutMilliseconds % 1000 * 1000)
      setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { close(descriptor) }

    /// Waits for the next datagrams.
    func next(_ count: Int) -> [String] {
      (0..<count).map { _ in
        var buffer = [UInt8](repeating: 0, count: 2048)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        return String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
      }
    }
  }

  private static func fix() -> Fix {
    .at(51.507_35, -0.127_76, time: UTCTime(secondsSince1970: 1_795_435_200)) {
      $0.speedMetersPerSecond = 4.25
      $0.source = "a"
      $0.satellitesUsed = 9
      $0.isSimulated = true
    }
  }

  private static func sink(_ destinations: [String], _ logger: Logger? = nil) throws -> NMEASink {
    var context = PluginContext(now: { .at(0) })
    if let logger { context.logger = logger }
    let list = SettingEntry("destinations", .list(destinations.map(SettingValue.string)))
    return try NMEASink(SettingsTable("sink[0]", entries: [list]), context)
  }

  @Test func `each sentence of a location is one datagram to each destination`() async throws {
    let receivers = [Receiver(at: "127.0.0.1"), Receiver(at: "127.0.0.2")]
    let sink = try Self.sink(["127.0.0.1:\(receivers[0].port)", "127.0.0.2:\(receivers[1].port)"])
    try await sink.start()
    var satellite = Satellite(id: SatelliteID(system: .galileo, number: 5), rawNumber: 5)
    satellite.isUsed = true
    let location = try #require(Location(Self.fix()))
    await sink.receive(SkyEvent(SkyView(satellites: [satellite]), device: "a"))
    await sink.receive(LocationEvent(location))
    for receiver in receivers {
      let datagrams = receiver.next(4)
      #expect(datagrams.map { $0.prefix(6) } == ["$GAGGA", "$GARMC", "$GAGSA", "$GAVTG"])
      #expect(datagrams.joined().contains("A,5130.44100,N,00007.66560,W,8.261,,231126,,,S"))
      #expect(datagrams.allSatisfy { $0.hasSuffix("\r\n") && $0.utf8.count <= 82 })
    }
    var fix = Fix(mode: .none)
    fix.source = "a"
    await sink.receive(NoFixEvent(fix))
    #expect(receivers[0].next(4)[1].hasPrefix("$GPRMC,,V,,,"))
    await sink.receive(SourceEvent.lost(SourceLoss(.disconnected), source: "a"))
    #expect(receivers[1].next(8)[5].hasPrefix("$GPRMC,,V,,,"))
    await sink.stop()
  }

  @Test func `a datagram reaches an IPv6 destination`() throws {
    let sender = try DatagramSender(try #require(ListenAddress("[::1]:9")))
    #expect(sender.send([1, 2, 3]) == nil)
  }

  @Test(.needsNetworkNamespaces)
  func `a datagram to the broadcast address of a network reaches the network's hosts`() throws {
    let (board, plotter) = (NetworkNamespace(), NetworkNamespace())
    board.lay("lan0", to: "lan0", in: plotter)
    board.ip("addr add 192.168.77.1/24 brd + dev lan0")
    plotter.ip("addr add 192.168.77.2/24 brd + dev lan0")
    board.ip("link set lan0 up")
    plotter.ip("link set lan0 up")
    let receiver = try #require(plotter.inside { Receiver(at: "0.0.0.0", timeoutMilliseconds: 100) })
    let destination = try #require(ListenAddress("192.168.77.255:\(receiver.port)"))
    let received = board.inside { () -> [String] in
      guard let sender = try? DatagramSender(destination) else { return ["no socket"] }
      // The kernel drops datagrams until it has noticed the carrier of the cable.
      for _ in 0..<300 {
        if let notice = sender.send([0x24, 0x0A]) { return [notice] }
        let received = receiver.next(1)
        if received != [""] { return received }
      }
      return []
    }
    #expect(received == ["$\n"])
  }

  @Test(.needsNetworkNamespaces)
  func `without a network, datagrams are counted, and the beginning and the end are reported`() throws {
    let board = NetworkNamespace()
    let destination = try #require(ListenAddress("127.0.0.1:9"))
    let notices = board.inside { () -> [String?] in
      guard let sender = try? DatagramSender(destination) else { return ["no socket"] }
      var notices = (0..<3).map { _ in sender.send([1]) } + [sender.failure]
      board.ip("link set lo up")
      notices += (0..<2).map { _ in sender.send([1]) } + [sender.failure]
      return notices
    }
    #expect(
      notices == [
        "127.0.0.1:9: Network is unreachable; dropping sentences", nil, nil,
        "127.0.0.1:9: Network is unreachable",
        "127.0.0.1:9: sending again; 3 dropped", nil, nil,
      ])
  }
}
