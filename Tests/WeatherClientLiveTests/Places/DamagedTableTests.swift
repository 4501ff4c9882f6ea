// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Positioning
import Testing
import WeatherClient

@testable import WeatherClientLive

@Suite("Damaged gazetteer table")
struct DamagedTableTests {
  /// Returns a valid table of 40 places in the format that `generate.py` describes.
  private static func smallTable() -> [UInt8] {
    var bytes = Array("FIXPLACE".utf8)
    func append<Value: FixedWidthInteger>(_ value: Value) {
      withUnsafeBytes(of: value.littleEndian) { bytes += $0 }
    }
    let names = (0..<40).map { "Town \($0)" }
    // Add "burg" and "burgos" to place 3, and "ä" and "市" to place 39.
    let alternates: [[UInt8]] = [
      [3, 0, 2, 4] + Array("burg".utf8) + [4 << 4 | 2] + Array("os".utf8),
      [36, 0, 2, 3, 1, 0x01, 0xE4, 0, 3, 2, 0x5E, 0x02],
    ]
    append(UInt16(2))
    append(UInt16(2))
    append(UInt16(3))
    append(UInt16(2))
    append(UInt32(names.count))
    append(UInt32(names.joined().utf8.count))
    append(UInt32(alternates.joined().count))
    // Add twenty places north of the equator, and twenty in the northernmost band.
    for band in 0...180 { append(UInt32(band <= 90 ? 0 : band < 180 ? 20 : 40)) }
    for (index, name) in names.enumerated() {
      // Add latitude in the band, longitude, id, inhabitants, zone, and length of the name.
      let longitude = UInt64(index % 20 * 180_000)
      append(UInt64(index * 100) | longitude << 16 | UInt64(index + 7) << 40)
      let rest = UInt64(index * 1000) | UInt64(index % 2) << 25 | UInt64(name.utf8.count) << 34
      append(UInt32(truncatingIfNeeded: rest))
      append(UInt8(rest >> 32))
    }
    for block in 0..<3 { append(UInt32(names[..<min(block * 16, 40)].joined().utf8.count)) }
    bytes += names.joined().utf8
    bytes += alternates.joined()
    for units in ["ée", "œoe"].map({ Array($0.utf16) }) {
      for index in 0..<3 { append(index < units.count ? units[index] : 0) }
    }
    for (area, text) in [
      ("USIL", "Etc/State"), ("XX  ", "Etc/Small"), ("IL  ", "il"), ("US  ", "us"), ("USIL", "il"),
    ] {
      bytes += Array(area.utf8) + [UInt8(text.utf8.count)] + Array(text.utf8)
    }
    return bytes
  }

  private static func search(_ table: PlaceTable?, using random: inout SeededGenerator) {
    let gazetteer = Gazetteer(table: table)
    for _ in 0..<4 {
      let latitude = Double.random(in: -90...90, using: &random)
      let longitude = Double.random(in: -180...180, using: &random)
      if let place = gazetteer.nearest(to: .at(latitude, longitude)) {
        #expect((place.distanceMeters ?? -1) >= 0)
      }
    }
    _ = gazetteer.place(id: Int.random(in: 0..<60, using: &random))
    for name in ["burgos", "tœwn 7", "towń", "市"] {
      let matches = gazetteer.places(named: name, in: ["IL"])
      #expect(matches.places.count <= min(matches.count, 5))
    }
  }

  @Test func `the undamaged test table of the gazetteer is valid`() throws {
    let gazetteer = Gazetteer(table: PlaceTable(Self.smallTable()))
    #expect(gazetteer.count == 40)
    let place = try #require(gazetteer.nearest(to: .at(89.99, -162)))
    #expect(place.title == "Town 39")
    #expect(place.id == 46)
    #expect(place.countryCode == "XX")
    #expect(place.timeZone == "Etc/Small")
    #expect(place.population == 39_000)
  }

  @Test(arguments: [
    ("Burg", [], [10]), ("BURGOS", [], [10]), ("burgo", [], [10]), ("ä", [], [46]), ("市", [], [46]),
    ("burgosa", [], []), ("bur", ["us"], []), ("Town 4", ["us", "il"], [11]), ("Town 5", ["il"], []),
    ("Tœwn", [], []), ("Tówn 4", [], []), ("Town é", [], []), ("Town 4", ["xx"], []),
  ])
  func `a search in the test table compares keys of main and alternate names`(
    name: String, regions: [String], ids: [Int]
  ) {
    let gazetteer = Gazetteer(table: PlaceTable(Self.smallTable()))
    #expect(gazetteer.places(named: name, in: regions).places.map(\.id) == ids)
  }

  @Test func `a truncated gazetteer table is rejected or searched, but never causes a trap`() {
    let bytes = Self.smallTable()
    var random = SeededGenerator(seed: 3)
    for length in 0..<bytes.count {
      Self.search(PlaceTable(Array(bytes[..<length])), using: &random)
    }
    #expect(PlaceTable([]) == nil)
    #expect(PlaceTable(Array(bytes[..<700])) == nil)
    // Version 1, which had no alternate names.
    #expect(PlaceTable(Array(bytes[..<8]) + [1] + Array(bytes[9...])) == nil)
    #expect(Gazetteer(table: nil).nearest(to: .at(1, 2)) == nil)
    #expect(Gazetteer(table: nil).place(id: 1) == nil)
  }

  @Test func `a search in a gazetteer table with random damage never traps`() {
    let whole = Self.smallTable()
    var random = SeededGenerator(seed: 4)
    for _ in 0..<3000 {
      var bytes = whole
      for _ in 0..<Int.random(in: 1...40, using: &random) {
        bytes[Int.random(in: 8..<bytes.count, using: &random)] = .random(
          in: 0...255, using: &random)
      }
      Self.search(PlaceTable(bytes), using: &random)
    }
  }
}
