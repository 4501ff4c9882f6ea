// SPDX-License-Identifier: Apache-2.0

internal import Glibc
public import Positioning

/// The phase of the moon, which does not depend on the observer's coordinate.
///
/// The formulas are from J. Meeus, "Astronomical Algorithms", 2nd edition, chapters 47 and 48.
public struct MoonPhase: Equatable, Hashable, Sendable {
  /// The names of the phases, in order.
  public enum Name: String, CaseIterable, Hashable, Sendable {
    /// In conjunction with the sun.
    case new
    /// Increasing, less than half illuminated.
    case waxingCrescent
    /// Increasing, half illuminated.
    case firstQuarter
    /// Increasing, more than half illuminated.
    case waxingGibbous
    /// In opposition to the sun.
    case full
    /// Decreasing, more than half illuminated.
    case waningGibbous
    /// Decreasing, half illuminated.
    case lastQuarter
    /// Decreasing, less than half illuminated.
    case waningCrescent
  }

  /// The ecliptic longitude of the moon minus that of the sun in degrees, 0 to below 360.
  ///
  /// The angle is 0 at new moon, 90 at first quarter, 180 at full moon, and 270 at last quarter.
  /// The error is at most 0.1 degrees.
  public let elongationDegrees: Double
  /// The illuminated part of the moon's disk in percent, 0 to 100.
  public let illuminationPercent: Double

  /// The name of the phase.
  ///
  /// New moon, full moon and the quarters are moments. These four names apply up to half a day
  /// before and after the moment, which corresponds to 6.1° of elongation.
  public var name: Name {
    let names = Name.allCases
    let quarter = Int((elongationDegrees / 90).rounded())
    if abs(elongationDegrees - Double(quarter) * 90) <= 6.1 { return names[quarter % 4 * 2] }
    return names[min(Int(elongationDegrees / 90), 3) * 2 + 1]
  }

  /// Computes the phase, or returns `nil` if the year is not in ``SolarDay/years``.
  public init?(at time: UTCTime) {
    guard SolarDay.years.contains(time.date.civil.year) else { return nil }
    let sun = SunPosition(at: Double(time.secondsSince1970))
    let moon = Self.moon(centuries: sun.centuries)
    elongationDegrees = (moon.longitudeDegrees - sun.longitudeDegrees).normalizedDegrees
    let angle = acos(cos(moon.latitude) * cos(elongationDegrees.radians))
    // The sun is 389 times farther away than the moon.
    illuminationPercent = 50 * (1 + cos(atan2(389 * sin(angle), 1 - 389 * cos(angle))))
  }

  /// The main terms of table 47.A: the multiples of the arguments D, M, M' and F, and the
  /// coefficient in thousandths of a degree of longitude.
  private static let longitudeTerms: [(Double, Double, Double, Double, Double)] = [
    (0, 0, 1, 0, 6288.774), (2, 0, -1, 0, 1274.027), (2, 0, 0, 0, 658.314),
    (0, 0, 2, 0, 213.618), (0, 1, 0, 0, -185.116), (0, 0, 0, 2, -114.332),
    (2, 0, -2, 0, 58.793), (2, -1, -1, 0, 57.066), (2, 0, 1, 0, 53.322), (2, -1, 0, 0, 45.758),
    (0, 1, -1, 0, -40.923), (1, 0, 0, 0, -34.72), (0, 1, 1, 0, -30.383), (2, 0, 0, -2, 15.327),
    (0, 0, 1, 2, -12.528), (0, 0, 1, -2, 10.98), (4, 0, -1, 0, 10.675), (0, 0, 3, 0, 10.034),
    (4, 0, -2, 0, 8.548), (2, 1, -1, 0, -7.888), (2, 1, 0, 0, -6.766),
  ]

  /// Returns the moon's ecliptic longitude in degrees and latitude in radians.
  private static func moon(centuries t: Double) -> (longitudeDegrees: Double, latitude: Double) {
    let d = (297.850_192 + 445_267.111_403 * t).radians
    let m = (357.529_109 + 35_999.050_291 * t).radians
    let anomaly = (134.963_396 + 477_198.867_506 * t).radians
    let f = (93.272_095 + 483_202.017_523 * t).radians
    let terms = longitudeTerms.reduce(0) { sum, term in
      sum + term.4 * sin(term.0 * d + term.1 * m + term.2 * anomaly + term.3 * f)
    }
    let latitudeDegrees =
      5.128 * sin(f) + 0.281 * sin(anomaly + f) + 0.278 * sin(anomaly - f)
      + 0.173 * sin(2 * d - f)
    return (218.316_448 + 481_267.881_234 * t + terms / 1000, latitudeDegrees.radians)
  }
}
