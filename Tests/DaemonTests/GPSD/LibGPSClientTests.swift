// SPDX-License-Identifier: Apache-2.0

import DaemonServer
import FixcastTesting
import Glibc
import Positioning
import Testing

@testable import Receivers

/// The lines of the gpsd server, as the installed libgps parses them.
@Suite struct LibGPSClientTests {
  /// Sends bytes to libgps and returns what it parses.
  static func parse(_ bytes: [UInt8]) throws -> [GPSDReport] {
    var ends: [Int32] = [-1, -1]
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    try #require(socketpair(AF_UNIX, kind, 0, &ends) == 0)
    let libgps = try LibGPS(adopting: ends[1])
    let count = bytes.withUnsafeBytes { write(ends[0], $0.baseAddress, $0.count) }
    #expect(count == bytes.count)
    close(ends[0])
    var reports: [GPSDReport] = []
    // The stream has ended, so libgps never waits for more.
    while case .report(let report) = libgps.next() { reports.append(report) }
    return reports
  }

  private static var version: GPSDVersion {
    let libgps = LibGPSVersion.compiled
    return GPSDVersion(
      release: libgps.release, protocolMajor: libgps.protocolMajor,
      protocolMinor: libgps.protocolMinor, revision: "fixcast 1.0.0")
  }

  private func watching(_ view: GPSDView) -> (session: DaemonServer.GPSDSession, answer: [UInt8]) {
    var session = DaemonServer.GPSDSession(version: Self.version)
    let answer = session.receive(Array(#"?WATCH={"enable":true,"json":true};"#.utf8), view)
    return (session, answer)
  }

  private func fix(source: String = "/dev/ttyACM0") -> Fix {
    var fix = Fix.at(48.1173, 11.516666667, time: .noon)
    fix.source = source
    fix.altitudeMetersAboveEllipsoid = 592.3
    fix.altitudeMetersAboveSeaLevel = 545.4
    fix.speedMetersPerSecond = 0.309
    fix.courseDegreesTrue = 84.4
    fix.magneticVariationDegrees = 3.6
    fix.horizontalAccuracy = Accuracy(meters: 5, confidencePercent: 95, basis: .dilution)
    fix.verticalAccuracy = Accuracy(meters: 12, confidencePercent: 95, basis: .dilution)
    fix.satellitesUsed = 7
    fix.isSimulated = true
    return fix
  }

  /// Returns the position that libgps parses from the frame of a fix.
  private func parsed(_ fix: Fix) throws -> FixReport? {
    let (session, _) = watching(GPSDView())
    let frame = try #require(session.frame(of: fix, now: fix.receivedAt))
    return try Self.parse(frame).compactMap { report -> FixReport? in
      guard case .position(_, let position) = report else { return nil }
      return position
    }.last
  }

  @Test func `libgps reads the greeting, the devices and the settings`() throws {
    var receiver = ReceiverInfo(name: "/dev/ttyACM0", isActive: true)
    receiver.driver = "NMEA0183"
    receiver.model = "u-blox 7"
    receiver.baud = 9600
    var view = GPSDView()
    let time = UTCTime.noon
    view.devices = [
      GPSDDevice(receiver, activated: time),
      GPSDDevice(ReceiverInfo(name: "/dev/ttyUSB1", isActive: false), activated: nil),
    ]
    let (session, answer) = watching(view)
    let greeting = DaemonServer.GPSDSession.greeting(Self.version)
    let lost = try #require(session.frame(ofLost: "/dev/ttyACM0"))
    let error = try #require(session.error("Run \"sudo fixcast auth allow user=pi\""))
    #expect(
      try Self.parse(greeting + answer + lost + error) == [
        .version(
          release: Self.version.release, protocolMajor: Self.version.protocolMajor,
          protocolMinor: Self.version.protocolMinor, isFixcast: true),
        .devices(view.devices.map(\.receiver)), .other,
        .device(ReceiverInfo(name: "/dev/ttyACM0", isActive: false)),
        .error("Run \"sudo fixcast auth allow user=pi\""),
      ])
  }

  @Test func `libgps reads all values of a fix among the fields that it ignores`() throws {
    var sent = fix()
    sent.receivedAt = MonotonicTime(nanoseconds: 5)
    sent.dilution.horizontal = 0.9
    let position = try #require(try parsed(sent))
    #expect(position.coordinate == sent.coordinate && position.mode == .threeDimensional)
    #expect(position.altitudeMetersAboveSeaLevel == 545.4)
    #expect(position.altitudeMetersAboveEllipsoid == 592.3)
    #expect(position.speedMetersPerSecond == 0.309 && position.courseDegreesTrue == 84.4)
    #expect(position.magneticVariationDegrees == 3.6)
    #expect(position.horizontalAccuracy?.meters == 5 && position.verticalAccuracy?.meters == 12)
    #expect(position.timeOfDay == sent.time?.timeOfDay && position.date == sent.time?.date)
  }

  @Test(arguments: [
    "/dev/Kärnten \"x\" \\ {[", String(repeating: "n", count: 600),
    "/dev/serial/by-id/" + String(repeating: "é", count: 200), "a\u{1}\n\tb",
  ])
  func `libgps reads a position with any device name`(name: String) throws {
    #expect(try parsed(fix(source: name))?.coordinate == fix().coordinate)
  }

  @Test func `libgps reads no mode above 1 without a position`() throws {
    var sent = fix()
    sent.coordinate = nil
    let position = try #require(try parsed(sent))
    #expect(position.mode == FixMode.none && position.coordinate == nil)
    let (session, _) = watching(GPSDView())
    let bytes = try #require(session.withoutPosition(device: "/dev/ttyACM0"))
    guard case .position(let device, let denied)? = try Self.parse(bytes).first else {
      Issue.record("no TPV")
      return
    }
    #expect(device == "/dev/ttyACM0" && denied.mode == FixMode.none)
  }

  @Test func `libgps reads the heading of a fix`() throws {
    let (session, _) = watching(GPSDView())
    var sent = fix()
    (sent.headingDegreesTrue, sent.headingDegreesMagnetic) = (341.8, 338.2)
    (sent.rollDegrees, sent.pitchDegrees) = (-1.26, 0.83)
    let reports = try Self.parse(try #require(session.frame(of: sent, now: nil)))
    #expect(
      reports.last
        == .heading(
          GPSDHeading(
            device: "/dev/ttyACM0", degreesTrue: 341.8, degreesMagnetic: 338.2, rollDegrees: -1.26,
            pitchDegrees: 0.83)))
    #expect(reports.count == 2)
  }

  @Test(arguments: [1, 4, 100, 512])
  func `libgps reads a sky with any number of satellites`(count: Int) throws {
    let (session, _) = watching(GPSDView())
    var sky = SkyView()
    sky.source = "/dev/ttyACM0"
    sky.time = .noon
    sky.dilution.x = 0.6
    sky.satellites = (0..<count).map { index in
      let (number, isUsed) = (UInt8(1 + index % 32), index.isMultiple(of: 2))
      return Samples.satellite(number, signalDBHz: 46, isUsed: isUsed, elevation: 40.5, azimuth: 83)
    }
    let reports = try Self.parse(try #require(session.frame(of: sky)))
    guard case .sky("/dev/ttyACM0", let read)? = reports.first else {
      Issue.record("\(reports)")
      return
    }
    let satellites = try #require(read.satellites)
    // libgps keeps at least 110 satellites.
    #expect((min(count, 110)...count).contains(satellites.count))
    #expect(satellites.first?.elevationDegrees == 40.5 && satellites.first?.isUsed == true)
    #expect(read.dilution.x == 0.6)
  }
}
