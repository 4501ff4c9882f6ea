// SPDX-License-Identifier: Apache-2.0

public import Positioning

/// What can be told of the sky without anybody's help: always, everywhere, and right.
public struct Almanac: Equatable, Hashable, Sendable {
  /// How light it is where nothing is in the way.
  public enum Light: String, Hashable, Sendable {
    /// The sun is up.
    case day
    /// The sun is less than 6° below the horizon.
    case civilTwilight
    /// The sun is 6° to 12° below the horizon.
    case nauticalTwilight
    /// The sun is 12° to 18° below the horizon.
    case astronomicalTwilight
    /// The sun is further down.
    case night
  }

  /// The sun's day.
  public let day: SolarDay
  /// The moon.
  public let moon: MoonPhase
  /// How light it is.
  public let light: Light
  /// The height of the sun's middle above the horizon in degrees, without air, -90 to 90.
  public let sunAltitudeDegrees: Double

  /// Computes the almanac of a moment.
  ///
  /// Gives `nil` outside of ``SolarDay/years``.
  ///
  /// - Parameters:
  ///   - time: When.
  ///   - coordinate: Where.
  public init?(of time: UTCTime, at coordinate: Coordinate) {
    guard let day = SolarDay(of: time, at: coordinate), let moon = MoonPhase(at: time) else {
      return nil
    }
    self.day = day
    self.moon = moon
    sunAltitudeDegrees = SunPosition.altitudeDegrees(at: AstronomicalTime(time), over: coordinate)
    light =
      switch sunAltitudeDegrees {
      case SunHeight.edge.rawValue...: .day
      case SunHeight.civil.rawValue...: .civilTwilight
      case SunHeight.nautical.rawValue...: .nauticalTwilight
      case SunHeight.astronomical.rawValue...: .astronomicalTwilight
      default: .night
      }
  }
}
