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
    append(UInt16(1))
    append(UInt16(1))
    append(UInt32(names.count))
    append(UInt32(names.joined().utf8.count))
    // Add twenty places north of the equator, and twenty in the northernmost band.
    for band in 0...180 { append(UInt32(band <= 90 ? 0 : band < 180 ? 20 : 40)) }
    for (index, name) in names.enumerated() {
      // Add latitude in the band, longitude, id, inhabitants, zone 0, and length of the name.
      let longitude = UInt64(index % 20 * 180_000)
      append(UInt64(index * 100) | longitude << 16 | UInt64(index + 7) << 40)
      let rest = UInt64(index * 1000) | UInt64(name.utf8.count) << 34
      append(UInt32(truncatingIfNeeded: rest))
      append(UInt8(rest >> 32))
    }
    for block in 0..<3 { append(UInt32(names[..<min(block * 16, 40)].joined().utf8.count)) }
    bytes += names.joined().utf8
    return bytes + Array("XX".utf8) + [9] + Array("Etc/Small".utf8)
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

  @Test func `a truncated gazetteer table is rejected or searched, but never causes a trap`() {
    let bytes = Self.smallTable()
    var random = SeededGenerator(seed: 3)
    for length in 0..<bytes.count {
      Self.search(PlaceTable(Array(bytes[..<length])), using: &random)
    }
    #expect(PlaceTable([]) == nil)
    #expect(PlaceTable(Array(bytes[..<700])) == nil)
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
