// SPDX-License-Identifier: Apache-2.0

internal import Glibc
package import Positioning

/// The time zone of times that people read.
package enum LocalZone: Equatable, Sendable {
  /// UTC.
  case utc
  /// A fixed offset from UTC in seconds, positive to the east, and its abbreviation.
  case fixed(offsetSeconds: Int64, abbreviation: String)
  /// A zone of the IANA database.
  case rules(ZoneRules)
  /// The zone of the variable `TZ`, otherwise the zone of the system.
  case system

  /// A time in the zone, as a date and a time of day.
  package struct LocalTime: Equatable, Sendable {
    /// The local date.
    package var date: UTCDate
    /// The local time of day.
    package var timeOfDay: UTCTimeOfDay
    /// The abbreviation of the zone, such as `CET`; `nil` for UTC.
    package var abbreviation: String?
  }

  /// Converts a time to the zone, with daylight saving as of that time.
  package func local(_ time: UTCTime) -> LocalTime {
    let (offset, abbreviation) = offset(at: time)
    guard offset != 0 else {
      return LocalTime(date: time.date, timeOfDay: time.timeOfDay, abbreviation: abbreviation)
    }
    let shifted = UTCTime(
      secondsSince1970: time.secondsSince1970 &+ offset, nanosecond: time.nanosecond)
    return LocalTime(
      date: shifted.date, timeOfDay: shifted.timeOfDay, abbreviation: abbreviation)
  }

  /// Returns the time at which a date begins: midnight, or the first time after it if the clocks are
  /// set forward at midnight.
  package func start(of date: UTCDate) -> UTCTime {
    let midnight = Int64(date.daysSince1970) * 86_400
    // The offsets before and after a change that may be near midnight.
    let candidates = [midnight - 86_400, midnight + 86_400].map { second in
      midnight - offset(at: UTCTime(secondsSince1970: second)).seconds
    }
    let begun = candidates.filter { local(UTCTime(secondsSince1970: $0)).date >= date }
    return UTCTime(secondsSince1970: begun.min() ?? candidates[1])
  }

  /// Returns the date that begins at a midnight.
  ///
  /// The midnight may be of a zone that differs by a few hours, such as the same zone without
  /// daylight saving.
  package func date(nearMidnight midnight: UTCTime) -> UTCDate {
    local(UTCTime(secondsSince1970: midnight.secondsSince1970 &+ 43_200)).date
  }

  /// Whether the clocks show the date and time of day of a time twice, since they are set back.
  package func isRepeated(_ time: UTCTime) -> Bool {
    let second = time.secondsSince1970
    let seconds = offset(at: time).seconds
    return [second &- 86_400, second &+ 86_400].contains { near in
      let other = offset(at: UTCTime(secondsSince1970: near)).seconds
      let twin = UTCTime(secondsSince1970: second &+ seconds &- other)
      return other != seconds && offset(at: twin).seconds == other
    }
  }

  private func offset(at time: UTCTime) -> (seconds: Int64, abbreviation: String?) {
    switch self {
    case .utc: return (0, nil)
    case .fixed(let seconds, let abbreviation): return (seconds, abbreviation)
    case .rules(let rules):
      let offset = rules.offset(at: time)
      return (offset.seconds, offset.abbreviation)
    case .system:
      var seconds = time_t(time.secondsSince1970)
      var parts = tm()
      // Fails for years beyond 32 bits.
      guard localtime_r(&seconds, &parts) != nil, let zone = parts.tm_zone else { return (0, nil) }
      let name = String(cString: zone)
      let isUTC = parts.tm_gmtoff == 0 && ["UTC", "GMT", "Universal"].contains(name)
      return (Int64(parts.tm_gmtoff), isUTC ? nil : name)
    }
  }
}
