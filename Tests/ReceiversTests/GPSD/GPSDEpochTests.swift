// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Positioning
import Testing

@testable import Receivers

/// Assembly of TPVs and SKYs into epochs.
@Suite struct GPSDEpochTests {
  @Test func `several TPVs of one epoch become one fix with the most complete values`() {
    var fixture = GPSDSessionFixture(watching: true)
    for _ in 0..<3 {
      var first = fixture.tpv(mode: .twoDimensional)
      first.speedMetersPerSecond = nil
      fixture.send(.report(.position(device: "/dev/a", first)))
      fixture.advance(milliseconds: 5)
      fixture.send(.report(.position(device: "/dev/a", fixture.tpv())))
      fixture.advanceEpoch(period: 0.995)
    }
    #expect(fixture.fixes.map(\.mode) == [.threeDimensional, .threeDimensional, .threeDimensional])
    #expect(fixture.fixes.allSatisfy { $0.speedMetersPerSecond == 0.5 })
  }

  @Test func `implausible values of a TPV are dropped, and the fix is kept`() throws {
    var fixture = GPSDSessionFixture(watching: true)
    var report = fixture.tpv()
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
    fixture.send(.report(.position(device: "/dev/a", report)))
    fixture.advanceEpoch(period: 1)
    let fix = try #require(fixture.fixes.first)
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
    var fixture = GPSDSessionFixture(watching: true)
    var report = fixture.tpv()
    report.altitudeMetersAboveSeaLevel = 36_000_000
    report.speedMetersPerSecond = 7_800
    report.climbMetersPerSecond = -7_800
    report.courseDegreesTrue = 360
    fixture.send(.report(.position(device: "/dev/a", report)))
    fixture.advanceEpoch(period: 1)
    let fix = try #require(fixture.fixes.first)
    #expect(fix.altitudeMetersAboveSeaLevel == 36_000_000)
    #expect(fix.speedMetersPerSecond == 7_800 && fix.climbMetersPerSecond == -7_800)
    #expect(fix.courseDegreesTrue == 0)
  }

  @Test(arguments: [1.0, 0.1])
  func `after some epochs with one TPV each, every fix is delivered as soon as its TPV arrives`(period: Double) {
    var fixture = GPSDSessionFixture(watching: true)
    fixture.sendEpochs(4, period: period)
    for _ in 0..<20 {
      let report = fixture.tpv()
      let actions = fixture.send(.report(.position(device: "/dev/a", report)))
      let times = actions.compactMap { action -> UTCTimeOfDay? in
        guard case .deliver(.fix(let fix)) = action else { return nil }
        return fix.time?.timeOfDay
      }
      #expect(times == [report.timeOfDay])
      fixture.advanceEpoch(period: period)
    }
  }

  @Test func `a change from one to two TPVs per epoch causes no duplicate fix and no lasting delay`() {
    var fixture = GPSDSessionFixture(watching: true)
    fixture.sendEpochs(6)
    var delays: [Bool] = []
    for _ in 0..<12 {
      let count = fixture.fixes.count
      fixture.send(.report(.position(device: "/dev/a", fixture.tpv(mode: .twoDimensional))))
      fixture.advance(milliseconds: 5)
      fixture.send(.report(.position(device: "/dev/a", fixture.tpv())))
      delays.append(fixture.fixes.count == count)
      fixture.advanceEpoch(period: 0.995)
    }
    let times = fixture.fixes.compactMap(\.time)
    #expect(times.count == 18)
    #expect(Set(times).count == 18)
    #expect(fixture.session.counters.lateReports == 1)
    // After some epochs, the second TPV, which is three-dimensional, completes the epoch at once.
    #expect(delays.suffix(6) == [false, false, false, false, false, false])
    #expect(fixture.fixes.suffix(6).allSatisfy { $0.mode == .threeDimensional })
  }

  @Test func `a TPV without a time belongs to the epoch of the next TPV`() {
    var fixture = GPSDSessionFixture(watching: true)
    fixture.send(.report(.position(device: "/dev/a", fixture.tpv(hasTime: false))))
    fixture.advance(milliseconds: 5)
    fixture.send(.report(.position(device: "/dev/a", fixture.tpv())))
    fixture.wait(seconds: 1)
    #expect(fixture.fixes.count == 1)
    #expect(fixture.fixes.first?.time != nil)
  }

  @Test func `positions of a gpsd that never sends a time are delivered, one per epoch`() {
    var fixture = GPSDSessionFixture(watching: true)
    for _ in 0..<5 {
      fixture.send(.report(.position(device: "/dev/a", fixture.tpv(hasTime: false))))
      fixture.wait(seconds: 1)
    }
    #expect(fixture.fixes.count == 5)
    #expect(fixture.fixes.allSatisfy { $0.time == nil && $0.coordinate != nil })
  }

  @Test func `the receivers of a gpsd are tracked separately, so a loss affects only the lost receiver`() {
    var fixture = GPSDSessionFixture(watching: true)
    for _ in 0..<6 {
      fixture.send(.report(.position(device: "/dev/a", fixture.tpv())))
      fixture.send(.report(.position(device: "/dev/b", fixture.tpv(latitude: -10))))
      fixture.advanceEpoch(period: 1)
    }
    for device in ["/dev/a", "/dev/b"] {
      let fixes = fixture.fixes.filter { $0.source == device }
      #expect(fixes.count == 6)
      #expect(Set(fixes.map(\.coordinate)).count == 1)
    }
    for _ in 0..<8 {
      fixture.send(.report(.position(device: "/dev/b", fixture.tpv(latitude: -10))))
      fixture.advanceEpoch(period: 1)
    }
    #expect(fixture.events.compactMap(\.loss).map(\.receiver) == ["/dev/a"])
    #expect(fixture.fixes.filter { $0.source == "/dev/b" }.count == 14)
    fixture.wait(seconds: 6)
    #expect(fixture.events.compactMap(\.loss).map(\.receiver) == ["/dev/a", nil])
  }

  @Test func `reports of more than eight receivers of a gpsd are dropped and counted`() {
    var fixture = GPSDSessionFixture(watching: true)
    for number in 0..<100 {
      fixture.send(.report(.position(device: "/dev/\(number)", fixture.tpv())))
    }
    #expect(fixture.session.counters.excessReports == 92)
    fixture.wait(seconds: 1)
    #expect(Set(fixture.fixes.compactMap(\.source)).count == 8)
  }

  @Test func `the SKYs of an epoch are merged into one sky view`() {
    var fixture = GPSDSessionFixture(watching: true)
    for _ in 0..<4 {
      var dilutions = GPSDSky()
      dilutions.dilution.horizontal = 0.9
      var list = GPSDSky()
      list.dilution.vertical = 1.3
      list.satellites = [Satellite(id: SatelliteID(system: .gps, number: 4), rawNumber: 4)]
      fixture.send(.report(.position(device: "/dev/a", fixture.tpv())))
      fixture.send(.report(.sky(device: "/dev/a", dilutions)))
      fixture.advance(milliseconds: 5)
      fixture.send(.report(.sky(device: "/dev/a", list)))
      fixture.advanceEpoch(period: 0.1)
    }
    fixture.wait(seconds: 1)
    let skies = fixture.events.compactMap(\.sky)
    #expect(skies.count == 4)
    #expect(skies.allSatisfy { $0.dilution.horizontal == 0.9 && $0.dilution.vertical == 1.3 })
    #expect(skies.allSatisfy { $0.satellites.count == 1 && $0.source == "/dev/a" })
  }

  @Test func `a SKY without satellites, or from a receiver without TPVs, produces no sky view`() {
    var fixture = GPSDSessionFixture(watching: true)
    var list = GPSDSky()
    list.satellites = []
    fixture.send(.report(.sky(device: "/dev/b", list)))
    fixture.send(.report(.position(device: "/dev/a", fixture.tpv())))
    fixture.send(.report(.sky(device: "/dev/a", GPSDSky())))
    fixture.wait(seconds: 1)
    #expect(fixture.events.compactMap(\.sky).isEmpty)
  }

  @Test func `the first epoch after midnight is corrected if gpsd reports the previous date`() {
    var fixture = GPSDSessionFixture(watching: true)
    // 2026-11-21T23:59:58Z
    fixture.utcNanoseconds = 1_795_305_598_000_000_000
    fixture.sendEpochs(2)
    var first = fixture.tpv()
    first.date = first.date?.adding(days: -1)
    fixture.send(.report(.position(device: "/dev/a", first)))
    fixture.advanceEpoch(period: 1)
    fixture.sendEpochs(2)
    let seconds = fixture.fixes.compactMap(\.time?.secondsSince1970)
    #expect(seconds == (0..<5).map { 1_795_305_598 + $0 })
    #expect(fixture.session.counters.backwardSteps == 0)
  }

  @Test func `fixes after a receiver's clock was set back are accepted, and the step is counted`() {
    var fixture = GPSDSessionFixture(watching: true)
    fixture.sendEpochs(3)
    fixture.utcNanoseconds -= 18_000_000_000
    fixture.sendEpochs(3)
    #expect(fixture.fixes.count == 6)
    #expect(fixture.session.counters.backwardSteps == 1)
  }

  @Test func `a GPS week rollover is corrected in both SKY and TPV, and the SKY is matched to its fix`() throws {
    var fixture = GPSDSessionFixture(watching: true)
    // gpsd before 3.24 adds 1024 weeks to a date that it considers too old.
    fixture.utcNanoseconds += 7168 * 86_400_000_000_000
    fixture.sendEpochs(4)
    for _ in 0..<3 {
      var sky = GPSDSky()
      sky.time = UTCTime(secondsSince1970: fixture.utcNanoseconds / 1_000_000_000)
      sky.dilution.horizontal = 0.9
      var satellite = Satellite(id: SatelliteID(system: .gps, number: 4), rawNumber: 4)
      satellite.isUsed = true
      sky.satellites = [satellite]
      fixture.send(.report(.sky(device: "/dev/a", sky)))
      fixture.send(.report(.position(device: "/dev/a", fixture.tpv())))
      fixture.advanceEpoch(period: 1)
    }
    fixture.wait(seconds: 1)
    let seconds = (0..<7).map { 1_795_262_400 + Int64($0) }
    let fixTimes = fixture.fixes.compactMap(\.time?.secondsSince1970)
    let skyTimes = fixture.events.compactMap(\.sky).compactMap(\.time?.secondsSince1970)
    #expect(fixTimes == seconds)
    #expect(fixture.fixes.allSatisfy { $0.isDateCorrected })
    #expect(skyTimes == Array(seconds.suffix(3)))
    #expect(fixture.fixes.suffix(3).allSatisfy { $0.dilution.horizontal == 0.9 })
    #expect(fixture.fixes.suffix(3).allSatisfy { $0.satellitesUsed == 1 })
  }
}
