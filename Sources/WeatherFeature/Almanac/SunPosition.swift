// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Positioning

/// Where the sun stands, to 0.01 degrees, which is 2 seconds of a day.
///
/// By Meeus, "Astronomical Algorithms", chapter 25, the method of lower accuracy.
struct SunPosition {
  /// The apparent ecliptic longitude in degrees.
  let longitudeDegrees: Double
  /// The right ascension in radians.
  let rightAscension: Double
  /// The declination in radians.
  let declination: Double
  /// The distance in kilometres.
  let distanceKilometers: Double

  init(at time: AstronomicalTime) {
    let t = time.centuries
    let mean = 280.466_46 + t * (36_000.769_83 + t * 0.000_303_2)
    let anomaly = (357.529_11 + t * (35_999.050_29 - t * 0.000_153_7)).radians
    let eccentricity = 0.016_708_634 - t * (0.000_042_037 + t * 0.000_000_126_7)
    let center =
      (1.914_602 - t * (0.004_817 + t * 0.000_014)) * sin(anomaly)
      + (0.019_993 - t * 0.000_101) * sin(2 * anomaly) + 0.000_289 * sin(3 * anomaly)
    let aberration = -0.005_69
    longitudeDegrees =
      (mean + center + aberration + AstronomicalTime.nutationDegrees(centuries: t)).turned
    let longitude = longitudeDegrees.radians
    let obliquity = AstronomicalTime.obliquity(centuries: t)
    rightAscension = atan2(cos(obliquity) * sin(longitude), cos(longitude))
    declination = asin(sin(obliquity) * sin(longitude))
    let astronomicalUnits =
      1.000_001_018 * (1 - eccentricity * eccentricity)
      / (1 + eccentricity * cos(anomaly + center.radians))
    distanceKilometers = astronomicalUnits * 149_597_870.7
  }

  /// The hour angle in degrees, -180 to 180: how far the sun is past the meridian of a coordinate.
  static func hourAngleDegrees(at time: AstronomicalTime, over coordinate: Coordinate) -> Double {
    let position = SunPosition(at: time)
    return
      (time.siderealDegrees + coordinate.longitudeDegrees - position.rightAscension.degrees)
      .remainder(dividingBy: 360)
  }

  /// The height of the sun's middle above the horizon of a coordinate in degrees, without air.
  static func altitudeDegrees(at time: AstronomicalTime, over coordinate: Coordinate) -> Double {
    let position = SunPosition(at: time)
    let hourAngle =
      (time.siderealDegrees + coordinate.longitudeDegrees).radians - position.rightAscension
    let latitude = coordinate.latitudeDegrees.radians
    let sine =
      sin(latitude) * sin(position.declination)
      + cos(latitude) * cos(position.declination) * cos(hourAngle)
    return asin(min(max(sine, -1), 1)).degrees
  }
}
