// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Positioning
import Testing

@testable import FleetProtocol

@Suite("Fleet batches")
struct FleetBatchTests {
  /// Returns a drive at 25 m/s with noise, a fix a second.
  static func drive(_ count: Int, seed: UInt64 = 1) throws -> [FleetBatch.Entry] {
    var generator = SeededGenerator(seed: seed)
    var entries: [FleetBatch.Entry] = []
    for number in 0..<count {
      func noise(_ size: Double) -> Double { .random(in: -size...size, using: &generator) }
      let coordinate = try #require(
        Coordinate(
          latitudeDegrees: 52.5 + Double(number) * 0.00016 + noise(0.00001),
          longitudeDegrees: 13.4 + Double(number) * 0.00026 + noise(0.00001)))
      var location = Location(
        coordinate: coordinate, time: UTCTime(secondsSince1970: 1_790_000_000 + Int64(number)))
      location.mode = .threeDimensional
      location.altitudeMetersAboveSeaLevel = 34 + noise(1)
      location.speedMetersPerSecond = 25 + noise(0.5)
      location.courseDegreesTrue = 45 + noise(2)
      location.horizontalAccuracy = Accuracy(
        meters: 2.4 + noise(0.4), confidencePercent: 95, basis: .receiver)
      location.satellitesUsed = 11 + Int(noise(1.4).rounded())
      entries.append(
        .init(
          sequence: 1000 + Int64(number),
          fix: FleetFix(location, bootMilliseconds: 5_000_000 + Int64(number) * 1000)))
    }
    return entries
  }

  static func batch(_ entries: [FleetBatch.Entry]) throws -> FleetBatch {
    FleetBatch(
      board: try #require(FleetBoardID("0d2f6f0c9be14a55")), epoch: try #require(FleetEpoch(3)),
      entries: entries)
  }

  /// Returns the batch without the times since boot, which are not sent if all dates are known.
  private static func withoutBootTimes(_ batch: FleetBatch) -> FleetBatch {
    var batch = batch
    for index in batch.entries.indices { batch.entries[index].fix.bootMilliseconds = nil }
    return batch
  }

  @Test func `a batch of 30 fixes of a moving board takes at most 40 bytes a fix`() throws {
    for seed in 1...20 {
      let json = try Self.batch(Self.drive(30, seed: UInt64(seed))).json
      #expect(json.count <= 30 * 40, "\(json.count) bytes")
    }
    // A missing epoch costs the interval of each fix.
    var entries = try Self.drive(31)
    entries.remove(at: 15)
    #expect(try Self.batch(entries).json.count <= 30 * 46)
  }

  @Test func `a decoded batch equals the encoded one`() throws {
    for count in [1, 2, 30, FleetBatch.maxCount] {
      var batch = Self.withoutBootTimes(try Self.batch(Self.drive(count)))
      #expect(try FleetBatch(json: batch.json) == batch)
      batch.isSimulated = true
      batch.isReduced = true
      #expect(try FleetBatch(json: batch.json) == batch)
    }
  }

  @Test func `the fix before a batch in the outbox survives a round trip and takes no bytes by default`() throws {
    var batch = Self.withoutBootTimes(try Self.batch(Self.drive(2)))
    let size = batch.json.count
    for previous in [0, 1, 998] as [Int64] {
      batch.previous = previous
      #expect(try FleetBatch(json: batch.json).previous == previous)
    }
    batch.previous = 999
    #expect(batch.json.count == size)
    #expect(try FleetBatch(json: batch.json).previous == nil)
  }

  @Test func `unknown values, gaps and fixes without a date survive a round trip`() throws {
    var generator = SeededGenerator(seed: 7)
    for _ in 0..<200 {
      var entries = try Self.drive(12, seed: generator.next())
      for index in entries.indices {
        func forget(_ value: inout Int64?) {
          if Int.random(in: 0..<3, using: &generator) == 0 { value = nil }
        }
        forget(&entries[index].fix.timeMilliseconds)
        forget(&entries[index].fix.altitudeDecimeters)
        forget(&entries[index].fix.speedCentimetersPerSecond)
        forget(&entries[index].fix.courseTenthsOfDegree)
        forget(&entries[index].fix.errorDecimeters)
        forget(&entries[index].fix.mode)
        forget(&entries[index].fix.satellites)
      }
      entries.removeAll { _ in Int.random(in: 0..<4, using: &generator) == 0 }
      guard !entries.isEmpty else { continue }
      var batch = try Self.batch(entries)
      if entries.contains(where: { $0.fix.timeMilliseconds == nil }) {
        batch.boot = "0b56ed28-0ec4-4e2a-9ad4-8d5a5ef3a1de"
      } else {
        batch = Self.withoutBootTimes(batch)
      }
      #expect(try FleetBatch(json: batch.json) == batch)
    }
  }

  @Test func `a batch without dates has the time since boot and the id of the boot instead`() throws {
    var batch = try Self.batch(Self.drive(30))
    for index in batch.entries.indices { batch.entries[index].fix.timeMilliseconds = nil }
    batch.boot = "0b56ed28-0ec4-4e2a-9ad4-8d5a5ef3a1de"
    #expect(try FleetBatch(json: batch.json) == batch)
    let text = String(decoding: batch.json, as: UTF8.self)
    #expect(text.contains(#""m":[0,1000],"m0":5000000"#) && !text.contains(#""t0""#), "\(text)")
    #expect(text.contains(#""boot":"0b56ed28"#))
  }

  @Test func `equal differences at the end of a column are written once`() throws {
    #expect(FleetColumns.entries([3, 3, 3]) == [3, 0])
    #expect(FleetColumns.entries([5, 10, 15]) == [5])
    #expect(FleetColumns.entries([1, nil, nil]) == [1, nil])
    #expect(FleetColumns.entries([nil, nil]) == nil)
    #expect(FleetColumns.values([1, nil], count: 3, 0...9) == [1, nil, nil])
    #expect(FleetColumns.values([nil, 4, 0], count: 4, 0...9) == [nil, 4, 4, 4])
  }

  @Test func `extreme positions and a course of almost 360 degrees stay within the ranges`() throws {
    for (latitude, longitude) in [(90.0, 180.0), (-90, -180), (0, 0)] {
      let coordinate = try #require(
        Coordinate(latitudeDegrees: latitude, longitudeDegrees: longitude))
      var location = Location(coordinate: coordinate, time: UTCTime(secondsSince1970: .max))
      location.courseDegreesTrue = 359.97
      location.altitudeMetersAboveSeaLevel = .infinity
      location.satellitesUsed = .max
      let fix = FleetFix(location, bootMilliseconds: -1)
      #expect(fix.courseTenthsOfDegree == 0 && fix.altitudeDecimeters == nil)
      #expect(fix.timeMilliseconds == nil && fix.satellites == nil && fix.bootMilliseconds == nil)
      let batch = try Self.batch([.init(sequence: 1, fix: fix)])
      #expect(try FleetBatch(json: batch.json) == batch)
      #expect(fix.coordinate == coordinate)
    }
  }
}
