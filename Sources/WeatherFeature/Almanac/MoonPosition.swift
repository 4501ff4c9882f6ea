// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Positioning

/// Where the moon stands, to some hundredths of a degree, by which it moves in minutes.
///
/// By the main terms of Meeus, "Astronomical Algorithms", chapter 47.
struct MoonPosition {
  /// The apparent ecliptic longitude in degrees.
  let longitudeDegrees: Double
  /// The ecliptic latitude in degrees.
  let latitudeDegrees: Double
  /// The distance of the middles in kilometres.
  let distanceKilometers: Double

  /// Multiples of the arguments D, M, M' and F, then millionths of a degree of longitude and metres
  /// of distance (table 47.A).
  private static let longitudeTerms: [(Double, Double, Double, Double, Double, Double)] = [
    (0, 0, 1, 0, 6_288_774, -20_905_355), (2, 0, -1, 0, 1_274_027, -3_699_111),
    (2, 0, 0, 0, 658_314, -2_955_968), (0, 0, 2, 0, 213_618, -569_925),
    (0, 1, 0, 0, -185_116, 48_888), (0, 0, 0, 2, -114_332, -3_149),
    (2, 0, -2, 0, 58_793, 246_158), (2, -1, -1, 0, 57_066, -152_138),
    (2, 0, 1, 0, 53_322, -170_733), (2, -1, 0, 0, 45_758, -204_586),
    (0, 1, -1, 0, -40_923, -129_620), (1, 0, 0, 0, -34_720, 108_743),
    (0, 1, 1, 0, -30_383, 104_755), (2, 0, 0, -2, 15_327, 10_321), (0, 0, 1, 2, -12_528, 0),
    (0, 0, 1, -2, 10_980, 79_661), (4, 0, -1, 0, 10_675, -34_782),
    (0, 0, 3, 0, 10_034, -23_210), (4, 0, -2, 0, 8_548, -21_636), (2, 1, -1, 0, -7_888, 24_208),
    (2, 1, 0, 0, -6_766, 30_824), (1, 0, -1, 0, -5_163, -8_379), (1, 1, 0, 0, 4_987, -16_675),
    (2, -1, 1, 0, 4_036, -12_831), (2, 0, 2, 0, 3_994, -10_445), (4, 0, 0, 0, 3_861, -11_650),
    (2, 0, -3, 0, 3_665, 14_403),
  ]

  /// Multiples of the arguments, then millionths of a degree of latitude (table 47.B).
  private static let latitudeTerms: [(Double, Double, Double, Double, Double)] = [
    (0, 0, 0, 1, 5_128_122), (0, 0, 1, 1, 280_602), (0, 0, 1, -1, 277_693),
    (2, 0, 0, -1, 173_237), (2, 0, -1, 1, 55_413), (2, 0, -1, -1, 46_271), (2, 0, 0, 1, 32_573),
    (0, 0, 2, 1, 17_198), (2, 0, 1, -1, 9_266), (0, 0, 2, -1, 8_822),
  ]

  init(at time: AstronomicalTime) {
    let t = time.centuries
    let mean = 218.316_447_7 + t * (481_267.881_234_21 - t * 0.001_578_6)
    let d = (297.850_192_1 + t * (445_267.111_403_4 - t * 0.001_881_9)).radians
    let m = (357.529_109_2 + t * (35_999.050_290_9 - t * 0.000_153_6)).radians
    let moonAnomaly = (134.963_396_4 + t * (477_198.867_505_5 + t * 0.008_741_4)).radians
    let f = (93.272_095 + t * (483_202.017_523_3 - t * 0.003_653_9)).radians
    // The earth's orbit becomes rounder: terms with the sun's anomaly wane.
    let waning = 1 - t * (0.002_516 + t * 0.000_007_4)
    var (longitude, distance, latitude) = (0.0, 0.0, 0.0)
    for term in Self.longitudeTerms {
      let argument = term.0 * d + term.1 * m + term.2 * moonAnomaly + term.3 * f
      let scale = term.1 == 0 ? 1 : waning
      longitude += term.4 * scale * sin(argument)
      distance += term.5 * scale * cos(argument)
    }
    for term in Self.latitudeTerms {
      latitude += term.4 * sin(term.0 * d + term.1 * m + term.2 * moonAnomaly + term.3 * f)
    }
    longitudeDegrees =
      (mean + longitude / 1e6 + AstronomicalTime.nutationDegrees(centuries: t)).turned
    latitudeDegrees = latitude / 1e6
    distanceKilometers = 385_000.56 + distance / 1000
  }
}
