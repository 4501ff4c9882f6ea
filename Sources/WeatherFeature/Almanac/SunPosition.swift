// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Positioning

/// The position of the sun to 0.01 degrees, which is 2 seconds of a day.
///
/// These are the formulas of NOAA's solar calculator: J. Meeus, "Astronomical Algorithms", 2nd
/// edition, chapters 12, 22 and 25, lower accuracy.
struct SunPosition {
  /// Days of 86,400 s since J2000.
  private let days: Double
  /// Julian centuries since J2000 in Terrestrial Time.
  let centuries: Double
  /// The apparent ecliptic longitude in degrees.
  let longitudeDegrees: Double
  /// The right ascension in radians.
  private let rightAscension: Double
  /// The declination in radians.
  private let declination: Double

  /// Terrestrial Time is ahead of UTC by this in 2026; in 1900 and 2100 it is 2 minutes off at most,
  /// in which the sun moves by 0.001 degrees and the moon by 0.02.
  private static let terrestrialLeadSeconds = 69.0

  /// - Parameter seconds: Unix time.
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
      (280.466_46 + 36_000.769_83 * t + center - 0.005_69 - 0.004_78 * sin(node)).turned
    let longitude = longitudeDegrees.radians
    let obliquity = (23.439_291 - 0.013_004 * t + 0.002_56 * cos(node)).radians
    rightAscension = atan2(cos(obliquity) * sin(longitude), cos(longitude))
    declination = asin(sin(obliquity) * sin(longitude))
  }

  /// The degrees that the sun is past the meridian of a coordinate, -180 to 180.
  func hourAngleDegrees(over coordinate: Coordinate) -> Double {
    (280.460_618 + 360.985_647_366 * days + coordinate.longitudeDegrees - rightAscension.degrees)
      .remainder(dividingBy: 360)
  }

  /// Whether the sun's upper edge is above the horizon of a coordinate.
  ///
  /// The middle is then 50' below it at most: 34' of refraction and 16' of radius.
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
  /// Degrees as radians.
  var radians: Double { self * .pi / 180 }
  /// Radians as degrees.
  var degrees: Double { self * 180 / .pi }
  /// Degrees brought to 0 to below 360.
  var turned: Double {
    let rest = truncatingRemainder(dividingBy: 360)
    let turned = rest < 0 ? rest + 360 : rest
    return turned < 360 ? turned : 0
  }
}
