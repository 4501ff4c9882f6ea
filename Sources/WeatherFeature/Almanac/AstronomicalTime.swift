// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Positioning

/// A moment as astronomy counts it: in days of the earth's turning and in uniform centuries.
///
/// Numbers of chapters are those of J. Meeus, "Astronomical Algorithms", 2nd edition, 1998.
struct AstronomicalTime {
  /// Unix time in seconds, fractions included; UTC stands for the earth's turning, from which it is
  /// never more than 0.9 s away.
  let seconds: Double

  init(seconds: Double) { self.seconds = seconds }

  init(_ time: UTCTime) {
    seconds = Double(time.secondsSince1970) + Double(time.nanosecond) / 1e9
  }

  /// The moment to the second.
  var utc: UTCTime { UTCTime(secondsSince1970: Int64(seconds.rounded())) }

  /// The Julian date.
  var julianDate: Double { seconds / 86_400 + 2_440_587.5 }

  /// Julian centuries of 36,525 days since J2000 in Terrestrial Time.
  var centuries: Double {
    (julianDate + terrestrialLeadSeconds / 86_400 - 2_451_545) / 36_525
  }

  /// The sidereal time at Greenwich in degrees, apparent (chapter 12).
  var siderealDegrees: Double {
    let days = julianDate - 2_451_545
    let t = days / 36_525
    let mean = 280.460_618_37 + 360.985_647_366_29 * days + t * t * (0.000_387_933 - t / 38_710_000)
    return mean + Self.nutationDegrees(centuries: t) * cos(Self.obliquity(centuries: t))
  }

  /// By how many seconds Terrestrial Time is ahead of UTC.
  ///
  /// Measured until 2020, then the guess of Espenak and Meeus. In 10 s the sun moves by a hundredth
  /// of what it is computed to.
  private var terrestrialLeadSeconds: Double {
    let known: [(year: Double, seconds: Double)] = [
      (1900, -2.8), (1920, 21.2), (1940, 24.3), (1960, 33.1), (1980, 50.5), (2000, 63.8),
      (2020, 69.4), (2050, 93), (2100, 203),
    ]
    let year = 1970 + seconds / 31_556_952
    guard let next = known.firstIndex(where: { $0.year > year }), next > 0 else {
      return year < 1900 ? -2.8 : 203
    }
    let (before, after) = (known[next - 1], known[next])
    let part = (year - before.year) / (after.year - before.year)
    return before.seconds + part * (after.seconds - before.seconds)
  }

  /// The longitude of the moon's ascending node in radians, for the nutation.
  private static func node(centuries t: Double) -> Double { (125.04 - 1934.136 * t).radians }

  /// The nutation in longitude in degrees, its main term (chapter 25).
  static func nutationDegrees(centuries t: Double) -> Double { -0.004_78 * sin(node(centuries: t)) }

  /// The true obliquity of the ecliptic in radians (chapters 22 and 25).
  static func obliquity(centuries t: Double) -> Double {
    let mean = 23.439_291_1 - t * (0.013_004_167 + t * (1.64e-7 - t * 5.04e-7))
    return (mean + 0.002_56 * cos(node(centuries: t))).radians
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
