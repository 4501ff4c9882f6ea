// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Foundation
import Glibc
import Testing

@testable import fixcast

/// Recorded receivers of different makes, from the log through the whole daemon to a weather
/// provider and to a client of gpsd.
@Suite(.timeLimit(.minutes(5)), .enabled(if: access("/usr/bin/gpspipe", X_OK) == 0, "needs gpspipe: make test-deps"))
struct RecordedReceiverTests {
  /// A recording of gpsd's regression tests, which `make test-deps` downloads, and the nearest town.
  struct Receiver: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var file: String
    var town: String

    static let all = [
      Receiver(testDescription: "Garmin 25LP", file: "garmin25lp.log", town: "L'Aquila"),
      Receiver(testDescription: "GlobalSat BU-353-S4", file: "bu353s4.log", town: "Hamilton"),
      Receiver(testDescription: "u-blox NEO-M9N", file: "ublox-neo-m9n-nmea.log", town: "Novato"),
    ]

    private var url: URL { Document.root.appending(path: ".build/recordings/\(file)") }

    /// The beginning of the log, which fits into a pipe.
    func log() throws -> [UInt8] {
      let data = try #require(try? Data(contentsOf: url), "no recordings in .build/recordings: run `make test-deps`")
      return Array(data.prefix(32_768))
    }

    /// The positions that gpsd decodes from the recording.
    func positions() throws -> [Position] {
      let golden = try String(contentsOf: url.appendingPathExtension("chk"), encoding: .utf8)
      return RecordedReceiverTests.objects(Position.self, "TPV", golden.split(whereSeparator: \.isNewline))
    }
  }

  struct Position: Decodable {
    var lat: Double
    var lon: Double

    /// Whether both are the same within half a metre.
    func equals(_ other: Position) -> Bool {
      abs(lat - other.lat) < 0.000_005 && abs(lon - other.lon) < 0.000_005
    }
  }

  private struct Weather: Decodable {
    struct Place: Decodable { var title: String }
    var lat: Double
    var lon: Double
    var kind: String?
    var place: Place?
  }

  /// Returns the objects of a class that have all values of the type.
  private static func objects<Object: Decodable>(
    _ type: Object.Type, _ name: String, _ lines: some Sequence<some StringProtocol>
  ) -> [Object] {
    lines.compactMap { line in
      let json = line.hasPrefix("data: ") ? String(line.dropFirst(6)) : String(line)
      guard json.hasPrefix("{\"class\":\"\(name)\"") else { return nil }
      return try? JSONDecoder().decode(type, from: Data(json.utf8))
    }
  }

  @Test(arguments: Receiver.all)
  func `a recorded receiver's position reaches a weather provider and a client of gpsd`(
    receiver: Receiver
  ) async throws {
    let log = try receiver.log()
    let positions = try receiver.positions()
    try #require(!positions.isEmpty)
    let board = try DaemonFixture()
    try board.folder.makeFolder("root")
    // The daemon reads the log from a pipe, into which the test writes once the clients listen.
    let pipe = board.path + "/receiver.nmea"
    try #require(mkfifo(pipe, 0o600) == 0)
    let writer = open(pipe, O_RDWR | O_CLOEXEC)
    defer { close(writer) }
    let server = try await DemoWeatherServer()
    let port = try ReservedPort()
    try board.configure(
      weatherFrom: server.baseURL,
      "[gpsd_server]\nlisten = [\"127.0.0.1:\(port.number)\"]\n"
        + DaemonFixture.source("type = \"replay\"\nfile = \"\(pipe)\""))
    try await board.use { daemon in
      await DaemonFixture.wait(for: "gpsd server: listening on", daemon)
      let allowed = try await board.run(
        "auth", "allow", "uid=\(geteuid())", "--always", "--state-directory", board.path + "/state")
      try #require(allowed.code == 0, "\(allowed.lines)")
      let events = [
        "--silent", "--no-buffer", "--unix-socket", board.path + "/s", "http://fixcast/v1/events",
      ]
      try await ChildProcess.use(path: "/usr/bin/gpspipe", arguments: ["-w", "127.0.0.1:\(port.number)"]) { gpspipe in
        await gpspipe.lines.wait { $0.contains { $0.hasPrefix(#"{"class":"WATCH""#) } }
        try await ChildProcess.use(path: "/usr/bin/curl", arguments: events) { client in
          try #require(write(writer, log, log.count) == log.count)
          let shown = await gpspipe.lines.wait {
            !Self.objects(Position.self, "TPV", $0).isEmpty
          }
          for place in Self.objects(Position.self, "TPV", shown) {
            #expect(positions.contains { $0.equals(place) }, "\(place)")
          }
          let streamed = await client.lines.wait {
            Self.objects(Weather.self, "WEATHER", $0).contains { $0.kind != nil }
          }
          let weather = Self.objects(Weather.self, "WEATHER", streamed)
          let report = try #require(weather.first { $0.kind != nil })
          #expect(report.place?.title == receiver.town)
          // A provider's cell is a hundredth of a degree wide.
          #expect(
            positions.contains {
              abs($0.lat - report.lat) < 0.01 && abs($0.lon - report.lon) < 0.01
            }, "\(report)")
        }
      }
      let status = try await board.run("status")
      #expect(status.lines.contains { $0.contains("1 started") }, "\(status.lines)")
    }
    await server.stop()
    port.release()
  }
}
