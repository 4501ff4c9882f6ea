// SPDX-License-Identifier: Apache-2.0

public import Positioning

/// Sun and moon at a coordinate and a time, computed offline.
public struct Almanac: Equatable, Hashable, Sendable {
  /// Day or night.
  public enum Light: String, Hashable, Sendable {
    /// The sun's upper edge is above the horizon.
    case day
    /// The sun is below the horizon.
    case night
  }

  /// Sunrise, solar noon and sunset.
  public let day: SolarDay
  /// The phase of the moon.
  public let moon: MoonPhase
  /// Day or night.
  public let light: Light

  /// Computes the almanac, or returns `nil` if the year is not in ``SolarDay/years``.
  public init?(of time: UTCTime, at coordinate: Coordinate) {
    guard let day = SolarDay(of: time, at: coordinate), let moon = MoonPhase(at: time) else {
      return nil
    }
    self.day = day
    self.moon = moon
    light = SunPosition.isUp(at: Double(time.secondsSince1970), over: coordinate) ? .day : .night
  }
}
