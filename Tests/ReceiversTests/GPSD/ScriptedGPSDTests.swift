// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Positioning
import Testing

@testable import Receivers

/// The gpsd source, using the real libgps, with a scripted gpsd server.
@Suite(.timeLimit(.minutes(5))) struct ScriptedGPSDTests {
  @Test(arguments: ["127.0.0.1", "::1", "localhost"])
  func `a source connects to gpsd by IPv4, IPv6 and host name`(host: String) async throws {
    let gpsd = try ScriptedGPSD(on: host == "::1" ? .ipv6 : .ipv4)
    defer { gpsd.stop() }
    try await run(gpsd, host: host) { events in
      let received = await events.wait { $0.contains { $0.isConnected } }
      let address = try #require(GPSDAddress(host: host, port: gpsd.port))
      #expect(received == [.connected(SourceServer(address: address.description, release: "3.22"))])
      let requests = await gpsd.requests.wait(for: 1)
      #expect(requests[0].hasPrefix(#"?WATCH={"enable":true"#))
      #expect(requests[0].contains(#""json":true"#))
    }
  }

  /// Returns gpsd's reports of an epoch at a given second after noon.
  private static func epoch(_ second: Int64) -> String {
    let time = "2026-11-21T12:0\(second / 60):\(second % 60 < 10 ? "0" : "")\(second % 60).000Z"
    let lines = [
      #"{"class":"SKY","device":"/dev/a","time":"\#(time)","hdop":0.90,"pdop":1.6}"#,
      #"{"class":"SKY","device":"/dev/a","time":"\#(time)","vdop":1.3,"satellites":["#
        + #"{"PRN":4,"el":40.0,"az":83.0,"ss":46.0,"used":true,"gnssid":0,"svid":4},"#
        + #"{"PRN":4,"ss":40.0,"used":true,"gnssid":0,"svid":4,"sigid":3},"#
        + #"{"PRN":70,"el":10.0,"az":5.0,"ss":0.0,"used":false}]}"#,
      #"{"class":"TPV","device":"/dev/a","mode":3,"status":2,"time":"\#(time)","#
        + #""lat":48.117300000,"lon":-11.516670000,"altHAE":592.3,"altMSL":545.4,"geoidSep":46.9,"#
        + #""eph":4.3,"epv":7.5,"track":84.4,"speed":0.52,"climb":-0.1,"magvar":3.2,"#
        + #""eps":0.8,"epd":12.5,"dgpsAge":1.5}"#,
    ]
    return lines.map { $0 + "\r\n" }.joined()
  }

  @Test func `every field of a TPV and of the SKY of the same epoch is read`() async throws {
    let gpsd = try ScriptedGPSD()
    defer { gpsd.stop() }
    try await run(gpsd) { events in
      await gpsd.requests.wait(for: 1)
      // A SKY is ignored before the first TPV of its receiver.
      gpsd.send(#"{"class":"TPV","device":"/dev/a","mode":1}"#)
      // If a delay splits an epoch, send and check the next epoch.
      var (second, found): (Int64, (fix: Fix, sky: SkyView)?) = (0, nil)
      while found == nil {
        let time = UTCTime.noon(plus: second)
        gpsd.send(bytes: Self.epoch(second))
        let received = await events.wait { events in
          events.contains { $0.sky?.time == time } && events.contains { $0.fix?.time == time }
        }
        let fix = received.compactMap(\.fix).first {
          $0.time == time && $0.satellitesUsed != nil && $0.dilution.horizontal != nil
        }
        let sky = received.compactMap(\.sky).first {
          $0.time == time && $0.dilution.position != nil
        }
        if let fix, let sky { found = (fix, sky) } else { second += 1 }
      }
      let (fix, sky) = try #require(found)
      #expect(fix.mode == .threeDimensional)
      #expect(fix.time == .noon(plus: second))
      #expect(fix.coordinate == .at(48.1173, -11.51667))
      #expect(fix.altitudeMetersAboveEllipsoid == 592.3)
      #expect(fix.altitudeMetersAboveSeaLevel == 545.4)
      #expect(fix.geoidSeparationMeters == 46.9)
      #expect(fix.horizontalAccuracy?.meters == 4.3)
      #expect(fix.horizontalAccuracy?.confidencePercent == 95)
      #expect(fix.verticalAccuracy?.meters == 7.5)
      #expect(fix.courseDegreesTrue == 84.4)
      #expect(fix.speedMetersPerSecond == 0.52)
      #expect(fix.climbMetersPerSecond == -0.1)
      #expect(fix.magneticVariationDegrees == 3.2)
      #expect(fix.speedAccuracyMetersPerSecond == 0.8)
      #expect(fix.courseAccuracyDegrees == 12.5)
      #expect(fix.status == .differential)
      #expect(fix.correctionAgeSeconds == 1.5)
      #expect(fix.source == "/dev/a")
      #expect(fix.satellitesUsed == 1)
      #expect(fix.dilution.horizontal == 0.9)
      #expect(!fix.isSimulated)
      #expect(sky.time == fix.time)
      #expect(sky.source == "/dev/a")
      #expect(sky.dilution.horizontal == 0.9)
      #expect(sky.dilution.position == 1.6)
      #expect(sky.dilution.vertical == 1.3)
      #expect(sky.satellites.map(\.id.number) == [4, 4, 6])
      #expect(sky.satellites.map(\.id.system) == [.gps, .gps, .glonass])
      #expect(sky.satellites.map(\.signal) == [nil, 6, nil])
      #expect(sky.satellites.map(\.isUsed) == [true, true, false])
      #expect(sky.satellites.map(\.signalToNoiseDBHz) == [46, 40, nil])
      #expect(sky.satellites.map(\.elevationDegrees) == [40, nil, 10])
    }
  }

  @Test(
    arguments: [
      (#""heading":341.8"#, 341.8, nil),
      (#""heading":360.0,"mag_st":"N","pitch":-43.00"#, 0, nil),
      (#""heading":341.8,"mheading":338.6"#, 341.8, 338.6),
      (#""mheading":338.6"#, nil, 338.6),
      (#""heading":14223.0,"mag_st":"N""#, nil, nil),
      (#""roll":-43.00"#, nil, nil), (#""heading":10.0,"pitch":91.0,"roll":-181.0"#, 10, nil),
    ] as [(String, Double?, Double?)])
  func `the true and the magnetic heading of an ATT are read, and an ATT without a heading is ignored`(
    fields: String, degreesTrue: Double?, magnetic: Double?
  ) async throws {
    let gpsd = try ScriptedGPSD()
    defer { gpsd.stop() }
    try await run(gpsd) { events in
      await gpsd.requests.wait(for: 1)
      gpsd.send(
        #"{"class":"ATT","device":"/dev/a",\#(fields)}"#,
        #"{"class":"TPV","device":"/dev/a","mode":1,"time":"2026-11-21T12:00:00.000Z"}"#)
      let fix = await events.wait { $0.contains { $0.fix != nil } }.compactMap(\.fix).first
      #expect(fix?.headingDegreesTrue == degreesTrue)
      #expect(fix?.headingDegreesMagnetic == magnetic)
      let isPitched = fields.contains(#""pitch":-43.00"#)
      #expect(fix?.pitchDegrees == (isPitched ? -43 : nil))
      #expect(fix?.rollDegrees == nil)
    }
  }

  @Test(arguments: [
    #"{"class":"TPV","device":"/dev/a","mode":3,"time":"2026-11-21T12:00:00.000Z"}"#,
    #"{"class":"TPV","device":"/dev/a","mode":3,"time":"2026-11-21T12:00:00.000Z","lat":91.0,"lon":1.0}"#,
    #"{"class":"TPV","device":"/dev/a","mode":3,"time":"2026-11-21T12:00:00.000Z","lat":9.0}"#,
    #"{"class":"TPV","device":"/dev/a","mode":1,"time":"2026-11-21T12:00:00.000Z","lat":9.0,"lon":1.0}"#,
    #"{"class":"TPV","device":"/dev/a","mode":0}"#,
    #"{"class":"TPV","device":"/dev/a"}"#,
  ])
  func `a TPV without a valid position yields a fix of mode none, and malformed lines are ignored`(line: String)
    async throws
  {
    let gpsd = try ScriptedGPSD()
    defer { gpsd.stop() }
    try await run(gpsd) { events in
      await gpsd.requests.wait(for: 1)
      gpsd.send("garbage", #"{"class":"TPV","lat":"#, line)
      let fixes = await events.wait { $0.contains { $0.fix != nil } }.compactMap(\.fix)
      #expect(fixes.map(\.mode) == [.none])
      #expect(fixes[0].coordinate == nil)
    }
  }

  @Test func `when gpsd closes the connection, a source reports the loss and then the new connection`() async throws {
    let gpsd = try ScriptedGPSD()
    defer { gpsd.stop() }
    try await run(gpsd) { events in
      await gpsd.requests.wait(for: 1)
      gpsd.dropClients()
      await gpsd.requests.wait(for: 2)
      let received = await events.wait { $0.count { $0.isConnected } == 2 }
      #expect(received.map(\.kind) == ["connected", "lost disconnected", "connected"])
    }
  }

  @Test func `a source connects to a gpsd that starts later, and reconnects after gpsd restarts`() async throws {
    let port = try ReservedPort()
    defer { port.release() }
    let address = try #require(GPSDAddress(host: "127.0.0.1", port: port.number))
    let source = GPSDSource(address: address)
    try await run(source) { events in
      await events.wait { $0.contains { $0.kind == "lost unreachable" } }
      for round in 1...2 {
        let gpsd = try ScriptedGPSD(port: port.number)
        await gpsd.requests.wait(for: 1)
        await events.wait { $0.count { $0.isConnected } == round }
        gpsd.stop()
        await events.wait { $0.count { $0.kind == "lost disconnected" } == round }
      }
      #expect(
        events.events.map(\.kind) == [
          "lost unreachable", "connected", "lost disconnected", "connected", "lost disconnected",
        ])
    }
    #expect(source.counters.connections == 2)
    #expect(source.counters.losses == 3)
  }

  @Test func `a source sends no requests to a gpsd with an unsupported protocol version`() async throws {
    var automaticReplies = ScriptedGPSD.AutomaticReplies()
    automaticReplies.greeting =
      #"{"class":"VERSION","release":"5.0","rev":"5.0","proto_major":4,"proto_minor":0}"#
    let gpsd = try ScriptedGPSD(automaticReplies: automaticReplies)
    defer { gpsd.stop() }
    try await run(gpsd) { events in
      let received = await events.wait(for: 1)
      #expect(received.map(\.kind) == ["lost incompatible"])
      await gpsd.arrivals.wait(for: 2)
    }
    #expect(gpsd.requests.events.isEmpty)
  }

  @Test func `a source can request a single receiver, and rejects a name that would break the request`() async throws {
    let gpsd = try ScriptedGPSD()
    defer { gpsd.stop() }
    let address = try #require(GPSDAddress(host: "127.0.0.1", port: gpsd.port))
    try await run(GPSDSource(address: address, device: "/dev/ttyACM0")) { _ in
      let requests = await gpsd.requests.wait(for: 1)
      #expect(requests[0].contains(#""device":"/dev/ttyACM0""#))
    }
    await #expect(throws: GPSDError.device(#"x","y":"z"#, address: address)) {
      try await GPSDSource(address: address, device: #"x","y":"z"#).run { _ in }
    }
  }

  @Test func `the addition and removal of a receiver of gpsd are reported`() async throws {
    let gpsd = try ScriptedGPSD()
    defer { gpsd.stop() }
    try await run(gpsd) { events in
      await gpsd.requests.wait(for: 1)
      gpsd.send(
        #"{"class":"DEVICE","path":"/dev/a","driver":"u-blox","subtype":"ROM 3.01","#
          + #""activated":"2026-11-21T12:00:00.000Z","bps":9600}"#,
        #"{"class":"TPV","device":"/dev/a","mode":1}"#,
        #"{"class":"DEVICE","path":"/dev/a","activated":0}"#)
      let received = await events.wait { $0.contains { $0.kind == "lost deactivated" } }
      var receiver = ReceiverInfo(name: "/dev/a", isActive: true)
      receiver.driver = "u-blox"
      receiver.model = "ROM 3.01"
      receiver.baud = 9600
      #expect(received.contains(.receiver(receiver)))
      guard case .lost(let loss) = received.last else { throw ExpectationError("no loss") }
      #expect(loss.receiver == "/dev/a")
    }
  }

  private func run(
    _ gpsd: ScriptedGPSD, host: String = "127.0.0.1",
    _ body: (EventRecorder<FixSourceEvent>) async throws -> Void
  ) async throws {
    let address = try #require(GPSDAddress(host: host, port: gpsd.port))
    try await run(GPSDSource(address: address), body)
  }

  private func run(_ source: GPSDSource, _ body: (EventRecorder<FixSourceEvent>) async throws -> Void) async throws {
    let events = EventRecorder<FixSourceEvent>()
    let running = Task { try await source.run { events.record($0) } }
    let result: Result<Void, any Error>
    do { result = .success(try await body(events)) } catch { result = .failure(error) }
    running.cancel()
    try await running.value
    try result.get()
  }
}
