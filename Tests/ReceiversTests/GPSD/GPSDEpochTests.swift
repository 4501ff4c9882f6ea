// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Positioning
import Testing

@testable import Receivers

/// Assembly of TPVs and SKYs into epochs.
@Suite struct GPSDEpochTests {
  @Test func `several TPVs of one epoch become one fix with the most complete values`() {
    var bench = GPSDBench(watching: true)
    for _ in 0..<3 {
      var first = bench.tpv(mode: .twoDimensional)
      first.speedMetersPerSecond = nil
      bench.send(.report(.position(device: "/dev/a", first)))
      bench.advance(milliseconds: 5)
      bench.send(.report(.position(device: "/dev/a", bench.tpv())))
      bench.advanceEpoch(period: 0.995)
    }
    #expect(bench.fixes.map(\.mode) == [.threeDimensional, .threeDimensional, .threeDimensional])
    #expect(bench.fixes.allSatisfy { $0.speedMetersPerSecond == 0.5 })
  }

  @Test func `implausible values of a TPV are dropped, and the fix is kept`() throws {
    var bench = GPSDBench(watching: true)
    var report = bench.tpv()
    report.altitudeMetersAboveSeaLevel = 1e12
    report.altitudeMetersAboveEllipsoid = 1e12
    report.geoidSeparationMeters = -1e5
    report.speedMetersPerSecond = 1e9
    report.climbMetersPerSecond = -1e9
    report.courseDegreesTrue = 400
    report.magneticVariationDegrees = 999
    report.horizontalAccuracy = Accuracy(meters: 1e300, confidencePercent: 95, basis: .dilution)
    report.verticalAccuracy = Accuracy(meters: 1e12, confidencePercent: 95, basis: .dilution)
    report.speedAccuracyMetersPerSecond = 1e9
    bench.send(.report(.position(device: "/dev/a", report)))
    bench.advanceEpoch(period: 1)
    let fix = try #require(bench.fixes.first)
    #expect(fix.mode == .threeDimensional)
    #expect(fix.coordinate == .at(48.1173, 11.5))
    #expect(fix.altitudeMetersAboveSeaLevel == nil && fix.altitudeMetersAboveEllipsoid == nil)
    #expect(fix.geoidSeparationMeters == nil)
    #expect(fix.speedMetersPerSecond == nil && fix.climbMetersPerSecond == nil)
    #expect(fix.courseDegreesTrue == nil && fix.magneticVariationDegrees == nil)
    #expect(fix.horizontalAccuracy == nil && fix.verticalAccuracy == nil)
    #expect(fix.speedAccuracyMetersPerSecond == nil)
  }

  @Test func `the altitude and speed of a receiver in orbit are kept, and a course of 360 becomes 0`() throws {
    var bench = GPSDBench(watching: true)
    var report = bench.tpv()
    report.altitudeMetersAboveSeaLevel = 36_000_000
    report.speedMetersPerSecond = 7_800
    report.climbMetersPerSecond = -7_800
    report.courseDegreesTrue = 360
    bench.send(.report(.position(device: "/dev/a", report)))
    bench.advanceEpoch(period: 1)
    let fix = try #require(bench.fixes.first)
    #expect(fix.altitudeMetersAboveSeaLevel == 36_000_000)
    #expect(fix.speedMetersPerSecond == 7_800 && fix.climbMetersPerSecond == -7_800)
    #expect(fix.courseDegreesTrue == 0)
  }

  @Test(arguments: [1.0, 0.1])
  func `after some epochs with one TPV each, every fix is delivered as soon as its TPV arrives`(period: Double) {
    var bench = GPSDBench(watching: true)
    bench.sendEpochs(4, period: period)
    for _ in 0..<20 {
      let report = bench.tpv()
      let actions = bench.send(.report(.position(device: "/dev/a", report)))
      let times = actions.compactMap { action -> UTCTimeOfDay? in
        guard case .deliver(.fix(let fix)) = action else { return nil }
        return fix.time?.timeOfDay
      }
      #expect(times == [report.timeOfDay])
      bench.advanceEpoch(period: period)
    }
  }

  @Test func `a change from one to two TPVs per epoch causes no duplicate fix and no lasting delay`() {
    var bench = GPSDBench(watching: true)
    bench.sendEpochs(6)
    var delays: [Bool] = []
    for _ in 0..<12 {
      let count = bench.fixes.count
      bench.send(.report(.position(device: "/dev/a", bench.tpv(mode: .twoDimensional))))
      bench.advance(milliseconds: 5)
      bench.send(.report(.position(device: "/dev/a", bench.tpv())))
      delays.append(bench.fixes.count == count)
      bench.advanceEpoch(period: 0.995)
    }
    let times = bench.fixes.compactMap(\.time)
    #expect(times.count == 18)
    #expect(Set(times).count == 18)
    #expect(bench.session.counters.lateReports == 1)
    // After some epochs, the second TPV, which is three-dimensional, completes the epoch at once.
    #expect(delays.suffix(6) == [false, false, false, false, false, false])
    #expect(bench.fixes.suffix(6).allSatisfy { $0.mode == .threeDimensional })
  }

  @Test func `a TPV without a time belongs to the epoch of the next TPV`() {
    var bench = GPSDBench(watching: true)
    bench.send(.report(.position(device: "/dev/a", bench.tpv(hasTime: false))))
    bench.advance(milliseconds: 5)
    bench.send(.report(.position(device: "/dev/a", bench.tpv())))
    bench.wait(seconds: 1)
    #expect(bench.fixes.count == 1)
    #expect(bench.fixes.first?.time != nil)
  }

  @Test func `positions of a gpsd that never sends a time are delivered, one per epoch`() {
    var bench = GPSDBench(watching: true)
    for _ in 0..<5 {
      bench.send(.report(.position(device: "/dev/a", bench.tpv(hasTime: false))))
      bench.wait(seconds: 1)
    }
    #expect(bench.fixes.count == 5)
    #expect(bench.fixes.allSatisfy { $0.time == nil && $0.coordinate != nil })
  }

  @Test func `the receivers of a gpsd are tracked separately, so a loss affects only the lost receiver`() {
    var bench = GPSDBench(watching: true)
    for _ in 0..<6 {
      bench.send(.report(.position(device: "/dev/a", bench.tpv())))
      bench.send(.report(.position(device: "/dev/b", bench.tpv(latitude: -10))))
      bench.advanceEpoch(period: 1)
    }
    for device in ["/dev/a", "/dev/b"] {
      let fixes = bench.fixes.filter { $0.source == device }
      #expect(fixes.count == 6)
      #expect(Set(fixes.map(\.coordinate)).count == 1)
    }
    for _ in 0..<8 {
      bench.send(.report(.position(device: "/dev/b", bench.tpv(latitude: -10))))
      bench.advanceEpoch(period: 1)
    }
    #expect(bench.events.compactMap(\.loss).map(\.receiver) == ["/dev/a"])
    #expect(bench.fixes.filter { $0.source == "/dev/b" }.count == 14)
    bench.wait(seconds: 6)
    #expect(bench.events.compactMap(\.loss).map(\.receiver) == ["/dev/a", nil])
  }

  @Test func `reports of more than eight receivers of a gpsd are dropped and counted`() {
    var bench = GPSDBench(watching: true)
    for number in 0..<100 {
      bench.send(.report(.position(device: "/dev/\(number)", bench.tpv())))
    }
    #expect(bench.session.counters.excessReports == 92)
    bench.wait(seconds: 1)
    #expect(Set(bench.fixes.compactMap(\.source)).count == 8)
  }

  @Test func `the SKYs of an epoch are merged into one sky view`() {
    var bench = GPSDBench(watching: true)
    for _ in 0..<4 {
      var dilutions = GPSDSky()
      dilutions.dilution.horizontal = 0.9
      var list = GPSDSky()
      list.dilution.vertical = 1.3
      list.satellites = [Satellite(id: SatelliteID(system: .gps, number: 4), rawNumber: 4)]
      bench.send(.report(.position(device: "/dev/a", bench.tpv())))
      bench.send(.report(.sky(device: "/dev/a", dilutions)))
      bench.advance(milliseconds: 5)
      bench.send(.report(.sky(device: "/dev/a", list)))
      bench.advanceEpoch(period: 0.1)
    }
    bench.wait(seconds: 1)
    let skies = bench.events.compactMap(\.sky)
    #expect(skies.count == 4)
    #expect(skies.allSatisfy { $0.dilution.horizontal == 0.9 && $0.dilution.vertical == 1.3 })
    #expect(skies.allSatisfy { $0.satellites.count == 1 && $0.source == "/dev/a" })
  }

  @Test func `a SKY without satellites, or from a receiver without TPVs, produces no sky view`() {
    var bench = GPSDBench(watching: true)
    var list = GPSDSky()
    list.satellites = []
    bench.send(.report(.sky(device: "/dev/b", list)))
    bench.send(.report(.position(device: "/dev/a", bench.tpv())))
    bench.send(.report(.sky(device: "/dev/a", GPSDSky())))
    bench.wait(seconds: 1)
    #expect(bench.events.compactMap(\.sky).isEmpty)
  }

  @Test func `the first epoch after midnight is corrected if gpsd reports the previous date`() {
    var bench = GPSDBench(watching: true)
    // 2026-11-21T23:59:58Z
    bench.utcNanoseconds = 1_795_305_598_000_000_000
    bench.sendEpochs(2)
    var first = bench.tpv()
    first.date = first.date?.adding(days: -1)
    bench.send(.report(.position(device: "/dev/a", first)))
    bench.advanceEpoch(period: 1)
    bench.sendEpochs(2)
    let seconds = bench.fixes.compactMap(\.time?.secondsSince1970)
    #expect(seconds == (0..<5).map { 1_795_305_598 + $0 })
    #expect(bench.session.counters.backwardSteps == 0)
  }

  @Test func `fixes after a receiver's clock was set back are accepted, and the step is counted`() {
    var bench = GPSDBench(watching: true)
    bench.sendEpochs(3)
    bench.utcNanoseconds -= 18_000_000_000
    bench.sendEpochs(3)
    #expect(bench.fixes.count == 6)
    #expect(bench.session.counters.backwardSteps == 1)
  }

  @Test func `a GPS week rollover is corrected in both SKY and TPV, and the SKY is matched to its fix`() throws {
    var bench = GPSDBench(watching: true)
    // gpsd before 3.24 adds 1024 weeks to a date that it considers too old.
    bench.utcNanoseconds += 7168 * 86_400_000_000_000
    bench.sendEpochs(4)
    for _ in 0..<3 {
      var sky = GPSDSky()
      sky.time = UTCTime(secondsSince1970: bench.utcNanoseconds / 1_000_000_000)
      sky.dilution.horizontal = 0.9
      var satellite = Satellite(id: SatelliteID(system: .gps, number: 4), rawNumber: 4)
      satellite.isUsed = true
      sky.satellites = [satellite]
      bench.send(.report(.sky(device: "/dev/a", sky)))
      bench.send(.report(.position(device: "/dev/a", bench.tpv())))
      bench.advanceEpoch(period: 1)
    }
    bench.wait(seconds: 1)
    let seconds = (0..<7).map { 1_795_262_400 + Int64($0) }
    let fixTimes = bench.fixes.compactMap(\.time?.secondsSince1970)
    let skyTimes = bench.events.compactMap(\.sky).compactMap(\.time?.secondsSince1970)
    #expect(fixTimes == seconds)
    #expect(bench.fixes.allSatisfy { $0.isDateCorrected })
    #expect(skyTimes == Array(seconds.suffix(3)))
    #expect(bench.fixes.suffix(3).allSatisfy { $0.dilution.horizontal == 0.9 })
    #expect(bench.fixes.suffix(3).allSatisfy { $0.satellitesUsed == 1 })
  }
}
