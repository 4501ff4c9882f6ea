// SPDX-License-Identifier: Apache-2.0

public import Positioning

/// Sun and moon at a place and a moment, computed without a network.
public struct Almanac: Equatable, Hashable, Sendable {
  /// Whether the sun is up.
  public enum Light: String, Hashable, Sendable {
    /// The sun's upper edge is above the horizon.
    case day
    /// The sun is below the horizon.
    case night
  }

  /// Sunrise and sunset.
  public let day: SolarDay
  /// The moon.
  public let moon: MoonPhase
  /// Whether the sun is up.
  public let light: Light

  /// Computes the almanac of a moment.
  ///
  /// Gives `nil` outside of ``SolarDay/years``.
  public init?(of time: UTCTime, at coordinate: Coordinate) {
    guard let day = SolarDay(of: time, at: coordinate), let moon = MoonPhase(at: time) else {
      return nil
    }
    self.day = day
    self.moon = moon
    light = SunPosition.isUp(at: Double(time.secondsSince1970), over: coordinate) ? .day : .night
  }
}
