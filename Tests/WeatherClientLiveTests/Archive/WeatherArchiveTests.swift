// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import LocationServices
import Positioning
import SQLiteStore
import SystemSupport
import Testing
import WeatherClient

@testable import WeatherClientLive

@Suite("Weather archive")
struct WeatherArchiveTests {
  private static let noon = BootTimestamp(utcSeconds: 1_790_000_000, bootSeconds: 500, boot: "boot")

  private func report(
    _ latitude: Double, _ body: String, provider: String = "metnorway"
  ) -> StoredReport {
    StoredReport(
      cell: StoredReport.name(of: WeatherCell(.at(latitude, 10))), coordinate: .at(latitude, 10),
      provider: provider, receivedAt: Self.noon, validSeconds: 1800.5,
      validator: WeatherValidator(lastModified: "Sat, 21 Nov 2026 12:00:00 GMT"),
      body: Array(body.utf8))
  }

  @Test func `the weather archive reads stored reports and ledgers after a restart`() throws {
    let folder = try ScratchFolder()
    let path = folder.path + "/weather.sqlite"
    var ledger = ProviderUsage(at: Self.noon)
    ledger.failures = 3
    ledger.pause = ProviderUsage.Pause(began: Self.noon, seconds: 60.5)
    do {
      let archive = WeatherArchive(path: path)
      archive.record(report(60, "old"), ledgers: [:])
      archive.record(report(60.001, "new"), ledgers: ["metno": ledger])
      archive.record(report(61, "other"), ledgers: [:])
    }
    let archive = WeatherArchive(path: path)
    #expect(archive.isDurable)
    #expect(archive.report(for: WeatherCell(.at(60.004, 9.996))) == report(60.001, "new"))
    #expect(archive.report(for: WeatherCell(.at(62, 10))) == nil)
    #expect(archive.newestReports(limit: 5).map(\.cell) == ["61,10", "60,10"])
    #expect(archive.ledgers() == ["metno": ledger])
    #expect(archive.takeNotices() == [])
  }

  @Test func `storing ledgers without a report keeps the stored reports`() {
    let archive = WeatherArchive(path: nil)
    archive.record(report(60, "kept"), ledgers: [:])
    archive.record(nil, ledgers: ["metno": ProviderUsage(at: Self.noon)])
    #expect(archive.report(for: WeatherCell(.at(60, 10)))?.body == Array("kept".utf8))
    #expect(!archive.isDurable)
  }

  @Test func `the weather archive deletes the oldest reports if there are more than 1000`() {
    let archive = WeatherArchive(path: nil)
    for index in 0..<(WeatherArchive.reportLimit + 5) {
      archive.record(report(Double(index) * 0.05 - 40, "\(index)"), ledgers: [:])
    }
    #expect(archive.newestReports(limit: 10_000).count == WeatherArchive.reportLimit)
    #expect(archive.report(for: WeatherCell(.at(-40 + 0.05 * 4, 10))) == nil)
    #expect(archive.report(for: WeatherCell(.at(-40 + 0.05 * 5, 10))) != nil)
  }

  @Test(arguments: [0, 1, 100, 1000, 5000])
  func `a damaged weather archive is renamed and replaced, with a notice`(_ from: Int) throws {
    let folder = try ScratchFolder()
    let path = folder.path + "/weather.sqlite"
    do {
      let archive = WeatherArchive(path: path)
      for index in 0..<50 {
        archive.record(
          report(Double(index), String(repeating: "x", count: 500)), ledgers: [:])
      }
    }
    var bytes = Array(try folder.bytes("weather.sqlite"))
    for index in from..<min(from + 4096, bytes.count) { bytes[index] = 0x5a }
    try folder.write("weather.sqlite", bytes: bytes)

    let archive = WeatherArchive(path: path)
    archive.record(report(60, "new"), ledgers: [:])
    #expect(archive.report(for: WeatherCell(.at(60, 10))) == report(60, "new"))
    let notices = archive.takeNotices()
    #expect(notices.count == 1)
    #expect(notices.first?.contains("set aside as \(path).damaged") == true)
    #expect(try folder.bytes("weather.sqlite.damaged") == bytes)
    #expect(archive.isDurable)
  }

  @Test func `the weather archive continues in a new file after its file was removed`() throws {
    let folder = try ScratchFolder()
    let path = folder.path + "/weather.sqlite"
    let archive = WeatherArchive(path: path)
    archive.record(report(60, "old"), ledgers: [:])
    try folder.remove("weather.sqlite")
    archive.record(report(54, "new"), ledgers: [:])
    #expect(
      archive.takeNotices() == [
        "weather store: \(path) was moved or removed by another program; writing to a new file"
      ])
    #expect(WeatherArchive(path: path).report(for: WeatherCell(.at(54, 10))) == report(54, "new"))
  }

  @Test func `the weather archive deletes the oldest reports beyond its size limit`() {
    let archive = WeatherArchive(path: nil)
    let large = String(repeating: "x", count: WeatherArchive.reportByteLimit / 4)
    for index in 0..<6 { archive.record(report(Double(index), large), ledgers: [:]) }
    #expect(archive.newestReports(limit: 10).map(\.cell) == ["5,10", "4,10", "3,10", "2,10"])
    archive.record(report(9, large + large + large + large + large), ledgers: [:])
    #expect(archive.newestReports(limit: 10).map(\.cell) == ["9,10"])
  }

  @Test func `the weather archive renames a database of another program with a matching version`()
    throws
  {
    let folder = try ScratchFolder()
    let path = folder.path + "/weather.sqlite"
    _ = try SQLiteDatabase(path: path, layout: ["CREATE TABLE a (b)", "CREATE TABLE c (d)"])
    let archive = WeatherArchive(path: path)
    archive.record(report(60, "new"), ledgers: [:])
    #expect(archive.report(for: WeatherCell(.at(60, 10))) == report(60, "new"))
    #expect(archive.isDurable)
    #expect(archive.takeNotices().count == 1)
  }

  @Test(arguments: [
    (Coordinate.at(54, 10), [Coordinate.at(54.2, 10), .at(54, 9.65), .at(53.8, 10.1)]),
    (.at(-17, 179.95), [.at(-17, -179.9), .at(-17, 179.75)]),
    (.at(-17, -179.95), [.at(-17, 179.9), .at(-17, -179.75)]),
    (.at(89.95, 0), [.at(89.9, 180), .at(89.95, -90), .at(89.85, 12)]),
    (.at(-90, 0), [.at(-89.8, 77)]),
  ])
  func `a query by box finds the reports nearby, also across the date line and at the poles`(
    _ centre: Coordinate, _ near: [Coordinate]
  ) {
    let archive = WeatherArchive(path: nil)
    for (index, place) in (near + [.at(20, 20)]).enumerated() {
      var stored = report(0, "x")
      (stored.coordinate, stored.cell) = (place, "\(index)")
      archive.record(stored, ledgers: [:])
    }
    let summaries = archive.summaries(in: CoordinateBox(around: centre, meters: 25_000))
    #expect(Set(summaries.map(\.cell)) == Set(near.indices.map(String.init)))
  }

  @Test func `the weather archive does not change a file of a newer fixcast`() throws {
    let folder = try ScratchFolder()
    let path = folder.path + "/weather.sqlite"
    _ = try SQLiteDatabase(path: path, layout: ["CREATE TABLE a (b)", "", "", ""])
    let archive = WeatherArchive(path: path)
    archive.record(report(60, "new"), ledgers: [:])
    #expect(archive.report(for: WeatherCell(.at(60, 10))) == report(60, "new"))
    #expect(!archive.isDurable)
    #expect(
      archive.takeNotices() == [
        "weather store: \(path): written by a newer fixcast (layout 4, this one supports 2); "
          + "kept in memory until the next start"
      ])
  }

  @Test func `the weather archive keeps reports in memory if its folder does not exist`() throws {
    let folder = try ScratchFolder()
    let archive = WeatherArchive(path: folder.path + "/none/weather.sqlite")
    archive.record(report(60, "new"), ledgers: [:])
    #expect(archive.report(for: WeatherCell(.at(60, 10))) != nil)
    #expect(archive.takeNotices().count == 1)
    #expect(archive.takeNotices().isEmpty)
  }
}
