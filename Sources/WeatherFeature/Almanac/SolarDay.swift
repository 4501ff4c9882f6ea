// SPDX-License-Identifier: Apache-2.0

public import Positioning

/// Sunrise, noon and sunset of a day at a coordinate.
///
/// Days begin at midnight of local mean solar time, so no time zone is needed. The times are for an
/// unobstructed horizon at sea level. The error of the times is about ten seconds up to 60° of
/// latitude, and up to a minute at higher latitudes.
public struct SolarDay: Equatable, Hashable, Sendable {
  /// Solar noon: the time at which the sun is highest.
  public let noon: UTCTime
  /// The time of sunrise, or `nil` if the sun does not rise on that day.
  public let sunrise: UTCTime?
  /// The time of sunset, or `nil` if the sun does not set on that day.
  public let sunset: UTCTime?

  /// The years for which the formulas are valid.
  public static let years = 1900...2100

  /// Computes the day that contains `time`, or returns `nil` if the year is not in ``years``.
  public init?(of time: UTCTime, at coordinate: Coordinate) {
    guard Self.years.contains(time.date.civil.year) else { return nil }
    let offsetSeconds = coordinate.longitudeDegrees * 240
    let days = ((Double(time.secondsSince1970) + offsetSeconds) / 86_400).rounded(.down)
    var noon = (days + 0.5) * 86_400 - offsetSeconds
    // Solar noon differs from mean noon by up to 16 minutes. Repeat, since the difference varies.
    for _ in 0..<3 {
      noon -= SunPosition(at: noon).hourAngleDegrees(over: coordinate) * 240
    }
    var (sunrise, sunset): (Double?, Double?)
    // Search in steps that begin at noon and midnight, to find even the shortest day or night.
    for hour in -12..<12 {
      let start = noon + Double(hour) * 3600
      let startsUp = SunPosition.isUp(at: start, over: coordinate)
      guard startsUp != SunPosition.isUp(at: start + 3600, over: coordinate) else { continue }
      var (low, high) = (start, start + 3600)
      while high - low > 0.1 {
        let middle = (low + high) / 2
        if SunPosition.isUp(at: middle, over: coordinate) == startsUp {
          low = middle
        } else {
          high = middle
        }
      }
      if startsUp { sunset = high } else { sunrise = sunrise ?? high }
    }
    // A sunset before the sunrise belongs to the previous day.
    if let began = sunrise, let ended = sunset, ended < began { sunset = nil }
    self.noon = Self.utc(noon)
    self.sunrise = sunrise.map(Self.utc)
    self.sunset = sunset.map(Self.utc)
  }

  private static func utc(_ seconds: Double) -> UTCTime {
    UTCTime(secondsSince1970: Int64(seconds.rounded()))
  }
}
