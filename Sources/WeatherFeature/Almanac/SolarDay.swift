// SPDX-License-Identifier: Apache-2.0

public import Positioning

/// Sunrise and sunset at a place, from the midnight before a noon to the midnight after it.
///
/// Days are counted by mean solar time, so no time zone is needed. The horizon is at sea level and
/// free; below 60° of latitude the times are right to some ten seconds, beyond to a minute.
public struct SolarDay: Equatable, Hashable, Sendable {
  /// When the sun is highest.
  public let noon: UTCTime
  /// When the sun rises; `nil` where it does not that day.
  public let sunrise: UTCTime?
  /// When the sun sets; `nil` where it does not that day.
  public let sunset: UTCTime?

  /// The years that the formulas are good for.
  public static let years = 1900...2100

  /// Computes a day.
  ///
  /// Gives `nil` outside of ``years``.
  public init?(of time: UTCTime, at coordinate: Coordinate) {
    guard Self.years.contains(time.date.civil.year) else { return nil }
    let turn = coordinate.longitudeDegrees * 240
    let days = ((Double(time.secondsSince1970) + turn) / 86_400).rounded(.down)
    var noon = (days + 0.5) * 86_400 - turn
    // The sun is up to 16 minutes from mean noon, and that changes by half a minute a day.
    for _ in 0..<3 {
      noon -= SunPosition(at: noon).hourAngleDegrees(over: coordinate) * 240
    }
    var (sunrise, sunset): (Double?, Double?)
    // Steps of an hour, with noon among them, do not miss the shortest days and nights.
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
    // A sunset before the sunrise is the end of the day before.
    if let began = sunrise, let ended = sunset, ended < began { sunset = nil }
    self.noon = Self.utc(noon)
    self.sunrise = sunrise.map(Self.utc)
    self.sunset = sunset.map(Self.utc)
  }

  private static func utc(_ seconds: Double) -> UTCTime {
    UTCTime(secondsSince1970: Int64(seconds.rounded()))
  }
}
