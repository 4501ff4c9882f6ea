// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Foundation
import Testing

@testable import Positioning

@Suite("Fixes and skies as JSON")
struct FixJSONTests {
  private func sample() throws -> Fix {
    var fix = Fix(mode: .threeDimensional)
    fix.source = "/dev/ttyACM0"
    let date = try #require(UTCDate(year: 2009, month: 7, day: 24))
    let clock = try #require(UTCTimeOfDay(hour: 10, minute: 47, second: 6))
    fix.time = UTCTime(date: date, timeOfDay: clock)
    fix.coordinate = Coordinate(latitudeDegrees: 54.093468333, longitudeDegrees: 10.824651667)
    fix.altitudeMetersAboveEllipsoid = 84.4
    fix.altitudeMetersAboveSeaLevel = 40.8
    fix.geoidSeparationMeters = 43.6
    fix.speedMetersPerSecond = 0.123
    fix.courseDegreesTrue = 18.02
    fix.climbMetersPerSecond = 0
    fix.horizontalAccuracy = Accuracy(meters: 20.9, confidencePercent: 95, basis: .dilution)
    fix.verticalAccuracy = Accuracy(meters: 25.3, confidencePercent: 95, basis: .dilution)
    fix.satellitesUsed = 8
    fix.dilution.horizontal = 1.1
    fix.status = .differential
    fix.receivedAt = MonotonicTime(nanoseconds: 5)
    fix.isSimulated = true
    return fix
  }

  private func text(_ write: (inout JSONLine) -> Void) -> String {
    var line = JSONLine()
    write(&line)
    return String(decoding: line.bytes, as: UTF8.self)
  }

  @Test func `every field of a fix is written to JSON with gpsd's name`() throws {
    let fix = try sample()
    let written = text { $0.appendTPV(fix, now: MonotonicTime(nanoseconds: 5)) }
    let expected =
      #"{"class":"TPV","device":"/dev/ttyACM0","mode":3,"time":"2009-07-24T10:47:06.000Z","#
      + #""lat":54.093468333,"lon":10.824651667,"altHAE":84.4,"altMSL":40.8,"geoidSep":43.6,"#
      + #""speed":0.123,"track":18.02,"climb":0.0,"eph":20.9,"epv":25.3,"sats":8,"hdop":1.1,"#
      + #""status":2,"age":0.0,"simulated":true}"# + "\n"
    #expect(written == expected)
  }

  @Test func `the errors of speed and course are written with gpsd's names, also from a location`() throws {
    var fix = try sample()
    fix.speedAccuracyMetersPerSecond = 0.8
    fix.courseAccuracyDegrees = 12.5
    let written = text { $0.appendTPV(fix) }
    #expect(written.contains(#""epv":25.3,"eps":0.8,"epd":12.5,"#), "\(written)")
    // A location states its errors with 68 % confidence, and TPV with 95 %.
    let location = try #require(Location(fix))
    #expect(abs(try #require(location.speedAccuracyMetersPerSecond) - 0.406) < 0.001)
    #expect(text { $0.appendTPV(Fix(location)) } == written)
  }

  @Test func `the fields for older clients of gpsd are derived from the other fields`() throws {
    func added(_ fix: Fix) throws -> String {
      let text = text { $0.appendTPVForGPSDClients(fix) }
      return String(try #require(text.components(separatedBy: #""simulated":true,"#).last))
    }
    var fix = try sample()
    fix.horizontalAccuracy = Accuracy(meters: 5, confidencePercent: 95, basis: .dilution)
    fix.verticalAccuracy = Accuracy(meters: 12, confidencePercent: 95, basis: .dilution)
    #expect(try added(fix) == #""alt":40.8,"epx":3.536,"epy":3.536,"sep":13.0},"#)
    (fix.dilution.x, fix.dilution.y) = (0.6, 0.8)
    fix.magneticVariationDegrees = 20.02
    fix.altitudeMetersAboveSeaLevel = nil
    fix.verticalAccuracy = nil
    #expect(try added(fix) == #""alt":84.4,"epx":3.0,"epy":4.0,"magtrack":358.0},"#)
  }

  @Test func `a heading is written to JSON as gpsd's ATT object`() throws {
    var fix = try sample()
    #expect(Heading(fix) == nil)
    fix.headingDegreesTrue = 341.8
    fix.headingDegreesMagnetic = 338.6
    let heading = try #require(Heading(fix))
    #expect(
      text { $0.appendATT(heading) }
        == #"{"class":"ATT","device":"/dev/ttyACM0","time":"2009-07-24T10:47:06.000Z","#
        + #""heading":341.8,"mheading":338.6,"simulated":true}"# + "\n")
    (fix.rollDegrees, fix.pitchDegrees) = (-1.26, 0.83)
    #expect(
      text { $0.appendATT(Heading(fix) ?? heading) }.contains(
        #""mheading":338.6,"roll":-1.26,"pitch":0.83,"simulated""#))
    #expect(
      text { $0.appendATT(Heading(degreesTrue: nil, degreesMagnetic: 0)) }
        == #"{"class":"ATT","mheading":0.0}"# + "\n")
  }

  @Test func `a replayed fix is marked, and its age counts from its recorded time`() throws {
    var fix = try sample()
    fix.isReplayed = true
    let now = MonotonicTime(nanoseconds: 5_000_000_005)
    #expect(text { $0.appendTPV(fix, now: now) }.hasSuffix(#""status":2,"simulated":true,"replayed":true}"# + "\n"))
    // The recorded time may be before the monotonic clock started.
    fix.recordedAt = MonotonicTime(nanoseconds: -95_000_000_000)
    let written = text { $0.appendTPV(fix, now: now) }
    #expect(written.contains(#""age":100.0,"simulated":true,"replayed":true}"#), "\(written)")
    let location = try #require(Location(fix))
    #expect(location.ageSeconds(at: now) == fix.ageSeconds(at: now))
    #expect(text { $0.appendTPV(Fix(location), now: now) } == written)
    fix.headingDegreesTrue = 5
    let heading = try #require(Heading(fix))
    #expect(text { $0.appendATT(heading) }.contains(#""replayed":true}"#))
    var sky = SkyView()
    sky.isReplayed = true
    #expect(text { $0.appendSKY(sky) }.contains(#""replayed":true"#))
  }

  @Test func `a fix without a position is written to JSON as mode 1 only`() {
    #expect(text { $0.appendTPV(Fix(mode: .none)) } == #"{"class":"TPV","mode":1}"# + "\n")
  }

  @Test func `the JSON of a fix marks a corrected date, and omits the status of plain GPS`() {
    var fix = Fix(mode: .none)
    fix.isDateCorrected = true
    fix.status = .autonomous
    let written = text { $0.appendTPV(fix, now: MonotonicTime(nanoseconds: 5)) }
    #expect(written == #"{"class":"TPV","mode":1,"dateCorrected":true}"# + "\n")
  }

  @Test func `a TPV and a satellite with large values fit into the memory that is reserved for them`() throws {
    let large = -Double.greatestFiniteMagnitude
    var fix = try sample()
    fix.satellitesUsed = .min
    fix.horizontalAccuracy = Accuracy(meters: -large, confidencePercent: 95, basis: .receiver)
    fix.verticalAccuracy = fix.horizontalAccuracy
    for path: WritableKeyPath<Fix, Double?> in [
      \.altitudeMetersAboveEllipsoid, \.altitudeMetersAboveSeaLevel, \.geoidSeparationMeters,
      \.speedMetersPerSecond, \.courseDegreesTrue, \.climbMetersPerSecond,
      \.magneticVariationDegrees, \.speedAccuracyMetersPerSecond, \.courseAccuracyDegrees,
      \.dilution.horizontal, \.dilution.vertical, \.dilution.position,
    ] { fix[keyPath: path] = large }
    fix.isReplayed = true
    fix.recordedAt = MonotonicTime(nanoseconds: .min)
    fix.isDateCorrected = true
    let written = text { $0.appendTPV(fix, now: MonotonicTime(nanoseconds: 0), isLast: true) }
    #expect(written.contains(#""sats":-9223372036854775808,"hdop":-1.7976931348623157e+308,"#))
    // The reserved space excludes the class, the device and the end of the line.
    let other = #"{"class":"TPV","device":"/dev/ttyACM0"}"# + "\n"
    #expect(written.utf8.count - other.utf8.count <= 866)

    var satellite = Satellite(id: SatelliteID(system: .beidou, number: 255), rawNumber: 999)
    satellite.signal = 255
    satellite.elevationDegrees = large
    satellite.azimuthDegrees = large
    satellite.signalToNoiseDBHz = large
    let sky = { count in
      SkyView(satellites: [Satellite](repeating: satellite, count: count))
    }
    let one = text { $0.appendSKY(sky(1)) }
    let five = text { $0.appendSKY(sky(5)) }
    #expect(five.utf8.count - one.utf8.count <= 4 * 222)
    #expect(one.contains(#""el":-1.7976931348623157e+308,"#))
  }

  @Test func `an accuracy is converted from 50 % to 95 % confidence, but not from 100 % to 95 %`() throws {
    let half = try #require(Accuracy(meters: 10, confidencePercent: 50, basis: .receiver))
    let horizontal = try #require(half.horizontalMeters(atConfidencePercent: 95))
    let vertical = try #require(half.verticalMeters(atConfidencePercent: 95))
    // The factors are 2.4477 / 1.1774 and 1.9600 / 0.6745.
    #expect(abs(horizontal - 20.789) < 0.001)
    #expect(abs(vertical - 29.058) < 0.001)
    let certain = try #require(Accuracy(meters: 1, confidencePercent: 100, basis: .receiver))
    #expect(certain.horizontalMeters(atConfidencePercent: 95) == nil)
    #expect(certain.verticalMeters(atConfidencePercent: 100) == 1)
  }

  @Test func `the JSON of a sky counts a satellite with several signals once`() {
    var first = Samples.satellite(5, signalDBHz: 40, isUsed: true, elevation: 45, azimuth: 123)
    first.signal = 1
    var second = first
    second.signal = 6
    second.isUsed = false
    let third = Satellite(id: SatelliteID(system: .glonass, number: 14), rawNumber: 78)
    var view = SkyView(satellites: [first, second, third])
    view.dilution.horizontal = 0.9
    #expect(
      text { $0.appendSKY(view, device: "x") }
        == #"{"class":"SKY","device":"x","hdop":0.9,"nSat":2,"uSat":1,"satellites":["#
        + #"{"PRN":5,"gnssid":0,"svid":5,"sigid":1,"el":45.0,"az":123.0,"ss":40.0,"used":true},"#
        + #"{"PRN":5,"gnssid":0,"svid":5,"sigid":6,"el":45.0,"az":123.0,"ss":40.0,"used":false},"#
        + #"{"PRN":78,"gnssid":6,"svid":14,"used":false}]}"# + "\n")
  }

  @Test(
    arguments: [
      (.gps, 1, 1), (.sbas, 120, 33), (.galileo, 36, 336), (.beidou, 46, 446), (.qzss, 1, 193),
      (.glonass, 30, 94),
    ] as [(SatelliteID.System, UInt8, Int)])
  func `gpsdPRN is the number of a satellite in gpsd`(system: SatelliteID.System, number: UInt8, expected: Int) {
    #expect(SatelliteID(system: system, number: number).gpsdPRN == expected)
  }
}
