// SPDX-License-Identifier: Apache-2.0

import DaemonClient
import DaemonProtocol
import FixcastTesting
import LocationServices
import Positioning
import Testing

/// A daemon that replays a recording, and its clients.
@Suite(.timeLimit(.minutes(5))) struct DaemonReplayTests {
  /// Returns a recording of 2009: each second a fix, a heading, and the errors of speed and course.
  private static func log() -> String {
    func line(_ body: String) -> String {
      let sum = String(body.utf8.reduce(0, ^), radix: 16, uppercase: true)
      return "$\(body)*\(sum.count < 2 ? "0" : "")\(sum)\r\n"
    }
    return (0..<300).map { second in
      let time = "10\(10 + second / 60)\(second % 60 < 10 ? "0" : "")\(second % 60)"
      return line("GPRMC,\(time),A,5405.6081,N,01049.4791,E,0.24,18.02,240709,,,A")
        + line("GPGGA,\(time),5405.6081,N,01049.4791,E,1,08,1.1,2.8,M,43.6,M,,")
        + line("HEHDT,341.8,T") + line("PSRFEPE,\(time),A,0.7,6.82,10.69,0.4,8.0")
    }.joined()
  }

  private final class Listener: LocationManagerDelegate {
    let headings = EventRecorder<Heading>()
    let locations = EventRecorder<Location>()

    func locationManager(_ manager: LocationManager, didUpdateHeading heading: Heading) {
      headings.record(heading)
    }

    func locationManager(_ manager: LocationManager, didUpdateLocations locations: [Location]) {
      for location in locations { self.locations.record(location) }
    }
  }

  @Test func `a daemon's clients get its replayed headings and errors, marked and with their true age`() async throws {
    let board = try DaemonFixture()
    try board.folder.write("boat.nmea", Self.log())
    try board.configure(DaemonFixture.source("type = \"replay\"\nfile = \"\(board.path)/boat.nmea\""))
    let socket = board.path + "/s"
    try await board.use { _ in
      let client = DaemonClient(address: DaemonAddress(socketPath: socket), now: { MonotonicTime.now() })
      let session = try await DaemonSession(client, purpose: "test")
      let manager = LocationManager(policy: session, purpose: "test")
      let listener = Listener()
      manager.delegate = listener
      manager.startUpdatingHeading()
      manager.startUpdatingLocation()
      let running = Task { await session.run { manager.ingest($0) } }
      let heading = await listener.headings.wait(for: 1).first
      let location = await listener.locations.wait(for: 1).first
      running.cancel()
      await running.value
      #expect(heading?.degreesTrue == 341.8 && heading?.isReplayed == true)
      #expect(heading?.time?.date == UTCDate(year: 2009, month: 7, day: 24))
      #expect(manager.headingAvailable)
      let found = try #require(location)
      #expect(found.sourceInformation.isReplayed && !found.isSimulated)
      // The receiver's errors are one standard deviation, which is nearly 68 %.
      #expect(abs((found.speedAccuracyMetersPerSecond ?? 0) - 0.4) < 0.01)
      #expect(abs((found.courseAccuracyDegrees ?? 0) - 8) < 0.1)
      let years = (found.ageSeconds(at: .now()) ?? 0) / 31_557_600
      #expect((17..<100).contains(years), "\(years)")

      let located = try await board.run("locate", "--json")
      #expect(located.lines.last?.hasSuffix(#","replayed":true}"#) == true, "\(located.lines)")
      let text = try await board.run("locate")
      #expect(text.lines.contains { $0.hasSuffix("boat.nmea (recorded)") }, "\(text.lines)")
      #expect(text.lines.contains { $0.hasPrefix("time") && $0.hasSuffix(" d ago") })
      let status = try await board.run("status")
      #expect(status.lines.contains { $0.hasSuffix("recorded") }, "\(status.lines)")
    }
  }
}
