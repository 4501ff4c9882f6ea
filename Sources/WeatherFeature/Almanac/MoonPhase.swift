// SPDX-License-Identifier: Apache-2.0

internal import Glibc
public import Positioning

/// How the moon looks: the same from everywhere on the earth.
///
/// Computed by J. Meeus, "Astronomical Algorithms", 2nd edition, chapters 47 and 48.
public struct MoonPhase: Equatable, Hashable, Sendable {
  /// The phases' names, in their order.
  public enum Name: String, CaseIterable, Hashable, Sendable {
    /// Beside the sun.
    case new
    /// Growing, less than half.
    case waxingCrescent
    /// The half that grows.
    case firstQuarter
    /// Growing, more than half.
    case waxingGibbous
    /// Opposite the sun.
    case full
    /// Shrinking, more than half.
    case waningGibbous
    /// The half that shrinks.
    case lastQuarter
    /// Shrinking, less than half.
    case waningCrescent
  }

  /// How far the moon is ahead of the sun along the ecliptic, in degrees, 0 to below 360.
  ///
  /// New at 0, first quarter at 90, full at 180, last quarter at 270; right to 0.1.
  public let elongationDegrees: Double
  /// How much of its face is lit, in percent, 0 to 100.
  public let illuminationPercent: Double

  /// The phase's name.
  ///
  /// New, full and the quarters are moments; what is within half a day of one, 6.1° of elongation,
  /// goes by its name.
  public var name: Name {
    let names = Name.allCases
    let quarter = Int((elongationDegrees / 90).rounded())
    if abs(elongationDegrees - Double(quarter) * 90) <= 6.1 { return names[quarter % 4 * 2] }
    return names[min(Int(elongationDegrees / 90), 3) * 2 + 1]
  }

  /// Computes the phase.
  ///
  /// Gives `nil` outside of ``SolarDay/years``.
  ///
  /// - Parameter time: When.
  public init?(at time: UTCTime) {
    guard SolarDay.years.contains(time.date.civil.year) else { return nil }
    let time = AstronomicalTime(time)
    let (sun, moon) = (SunPosition(at: time), MoonPosition(at: time))
    elongationDegrees = (moon.longitudeDegrees - sun.longitudeDegrees).turned
    let angle = acos(cos(moon.latitudeDegrees.radians) * cos(elongationDegrees.radians))
    let phase = atan2(
      sun.distanceKilometers * sin(angle),
      moon.distanceKilometers - sun.distanceKilometers * cos(angle))
    illuminationPercent = 50 * (1 + cos(phase))
  }
}
