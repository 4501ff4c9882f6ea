// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Positioning

/// The position of the sun, with an error of at most 0.01 degrees.
///
/// The formulas are those of NOAA's solar calculator, from J. Meeus, "Astronomical Algorithms", 2nd
/// edition, chapters 12, 22 and 25 (lower accuracy).
struct SunPosition {
  /// The number of days of 86,400 s since J2000.
  private let days: Double
  /// The number of Julian centuries since J2000 in Terrestrial Time.
  let centuries: Double
  /// The apparent ecliptic longitude in degrees.
  let longitudeDegrees: Double
  /// The right ascension in radians.
  private let rightAscension: Double
  /// The declination in radians.
  private let declination: Double

  /// The difference between Terrestrial Time and UTC in 2026, in seconds.
  ///
  /// In 1900 and 2100, the value is wrong by at most 2 minutes. In this time, the sun moves by
  /// 0.001 degrees and the moon by 0.02 degrees.
  private static let terrestrialLeadSeconds = 69.0

  /// Computes the position.
  ///
  /// - Parameter seconds: The Unix time.
  init(at seconds: Double) {
    days = (seconds - 946_728_000) / 86_400
    let t = (days + Self.terrestrialLeadSeconds / 86_400) / 36_525
    centuries = t
    let anomaly = (357.529_11 + 35_999.050_29 * t).radians
    let center =
      (1.914_602 - 0.004_817 * t) * sin(anomaly) + 0.019_993 * sin(2 * anomaly)
      + 0.000_289 * sin(3 * anomaly)
    let node = (125.04 - 1934.136 * t).radians
    longitudeDegrees =
      (280.466_46 + 36_000.769_83 * t + center - 0.005_69 - 0.004_78 * sin(node)).normalizedDegrees
    let longitude = longitudeDegrees.radians
    let obliquity = (23.439_291 - 0.013_004 * t + 0.002_56 * cos(node)).radians
    rightAscension = atan2(cos(obliquity) * sin(longitude), cos(longitude))
    declination = asin(sin(obliquity) * sin(longitude))
  }

  /// Returns the hour angle in degrees, -180 to 180, positive after the sun has crossed the
  /// meridian.
  func hourAngleDegrees(over coordinate: Coordinate) -> Double {
    (280.460_618 + 360.985_647_366 * days + coordinate.longitudeDegrees - rightAscension.degrees)
      .remainder(dividingBy: 360)
  }

  /// Whether the sun's upper edge is above the horizon of a coordinate.
  ///
  /// At sunrise and sunset, the centre of the sun is 50' below the horizon: 34' because of
  /// refraction and 16' because of the radius of the sun.
  static func isUp(at seconds: Double, over coordinate: Coordinate) -> Bool {
    let sun = SunPosition(at: seconds)
    let latitude = coordinate.latitudeDegrees.radians
    let sineOfAltitude =
      sin(latitude) * sin(sun.declination)
      + cos(latitude) * cos(sun.declination) * cos(sun.hourAngleDegrees(over: coordinate).radians)
    return sineOfAltitude >= sin((-50.0 / 60).radians)
  }
}

extension Double {
  /// The value converted from degrees to radians.
  var radians: Double { self * .pi / 180 }
  /// The value converted from radians to degrees.
  var degrees: Double { self * 180 / .pi }
  /// The angle in degrees, normalized to the range from 0 to below 360.
  var normalizedDegrees: Double {
    let rest = truncatingRemainder(dividingBy: 360)
    let turned = rest < 0 ? rest + 360 : rest
    return turned < 360 ? turned : 0
  }
}
