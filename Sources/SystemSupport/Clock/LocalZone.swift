// SPDX-License-Identifier: Apache-2.0

internal import Glibc
package import Positioning

/// The time zone of times that people read.
package enum LocalZone: Equatable, Sendable {
  /// UTC.
  case utc
  /// A fixed offset from UTC in seconds, positive to the east, and its abbreviation.
  case fixed(offsetSeconds: Int64, abbreviation: String)
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

  private func offset(at time: UTCTime) -> (seconds: Int64, abbreviation: String?) {
    switch self {
    case .utc: return (0, nil)
    case .fixed(let seconds, let abbreviation): return (seconds, abbreviation)
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
