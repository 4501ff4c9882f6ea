// SPDX-License-Identifier: Apache-2.0

import Plugins
import Positioning
import SystemSupport
import Testing

@testable import fixcast

/// The text of a fix as `fixcast locate` prints it.
@Suite struct FixTextTests {
  private static let now = MonotonicTime(nanoseconds: 50_000_000_000)

  private static func time(_ receivedAt: MonotonicTime?) -> String? {
    var fix = Fix(mode: .twoDimensional)
    fix.coordinate = Coordinate(latitudeDegrees: 54.075, longitudeDegrees: 10.8)
    fix.time = UTCTime(secondsSince1970: 1_248_432_300)
    fix.receivedAt = receivedAt
    return FixText.lines(fix, now: now).split(separator: "\n").map(String.init)
      .first { $0.hasPrefix("time") }
  }

  @Test func `the time of a fix is followed by its age`() {
    let received = MonotonicTime(nanoseconds: 48_500_000_000)
    #expect(Self.time(received) == "time      2009-07-24 10:45:00Z, 1.5 s ago")
  }

  @Test func `a replayed fix is marked as recorded, and its age counts from its recorded time`() {
    var fix = Fix(mode: .twoDimensional)
    (fix.source, fix.isReplayed) = ("boat.nmea", true)
    fix.receivedAt = Self.now
    fix.recordedAt = MonotonicTime(nanoseconds: -100_800_000_000_000 + Self.now.nanoseconds)
    let lines = FixText.lines(fix, now: Self.now)
    #expect(lines.contains("source    boat.nmea (recorded)\n"))
    #expect(lines.contains("time      28 h ago\n"), "\(lines)")
    fix.recordedAt = nil
    fix.isSimulated = true
    #expect(FixText.lines(fix, now: Self.now).contains("(simulated, recorded)\n"))
    #expect(!FixText.lines(fix, now: Self.now).contains("ago"))
  }

  @Test func `a last known position begins with a note that it is not current`() {
    let fix = Fix(mode: .twoDimensional)
    #expect(
      FixText.lines(fix, now: Self.now, isCurrent: false)
        == "note      not current: the last known position\n" + FixText.lines(fix, now: Self.now))
  }

  @Test func `a fix with reduced accuracy has a time in steps of 15 minutes and no age`() {
    #expect(Self.time(nil) == "time      2009-07-24 10:45:00Z or up to 15 min later")
  }

  @Test func `a fix has the reader's units and time zone`() {
    var fix = Fix(mode: .threeDimensional)
    fix.altitudeMetersAboveSeaLevel = 40.8
    fix.speedMetersPerSecond = 10
    fix.time = UTCTime(secondsSince1970: 1_248_432_426)
    fix.receivedAt = Self.now
    func lines(_ units: UnitSystem) -> [Substring] {
      let zone = LocalZone.fixed(offsetSeconds: 7200, abbreviation: "CEST")
      let format = ValueFormat(units: units, zone: zone)
      return FixText.lines(fix, now: Self.now, format: format).split(separator: "\n")
    }
    #expect(lines(.metric).contains("speed     36.0 km/h"))
    #expect(lines(.imperial).contains("altitude  134 ft above sea level"))
    #expect(lines(.imperial).contains("speed     22.4 mph"))
    #expect(lines(.nautical).contains("speed     19.4 kn"))
    #expect(lines(.nautical).contains("time      2009-07-24 12:47:06 CEST, 0.0 s ago"))
  }
}
