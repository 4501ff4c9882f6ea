// SPDX-License-Identifier: Apache-2.0

/// The series by which geodesics are solved, to the sixth order: some nanometres.
///
/// From Karney, "Algorithms for geodesics", Journal of Geodesy 87 (2013), whose equation numbers
/// stand here in parentheses. Each function takes the expansion parameter epsilon (17);
/// the coefficient of sin 2kx is at index k - 1.
enum GeodesicSeries {
  typealias Coefficients = [6 of Double]

  /// A1 - 1, distance (17).
  static func a1Minus1(_ e: Double) -> Double {
    let e2 = e * e
    return (e2 * (64 + e2 * (4 + e2)) / 256 + e) / (1 - e)
  }

  /// C1, distance from arc (18).
  static func c1(_ e: Double) -> Coefficients {
    let e2 = e * e
    let (e3, e4) = (e * e2, e2 * e2)
    return [
      e * (-16 + e2 * (6 - e2)) / 32,
      e2 * (-128 + e2 * (64 - 9 * e2)) / 2048,
      e3 * (-16 + 9 * e2) / 768,
      e4 * (-5 + 3 * e2) / 512,
      e * e4 * -7 / 1280,
      e2 * e4 * -7 / 2048,
    ]
  }

  /// C1', arc from distance (21).
  static func c1Inverse(_ e: Double) -> Coefficients {
    let e2 = e * e
    let (e3, e4) = (e * e2, e2 * e2)
    return [
      e * (768 + e2 * (-432 + 205 * e2)) / 1536,
      e2 * (3840 + e2 * (-4736 + 4005 * e2)) / 12288,
      e3 * (116 - 225 * e2) / 384,
      e4 * (2695 - 7173 * e2) / 7680,
      e * e4 * 3467 / 7680,
      e2 * e4 * 38081 / 61440,
    ]
  }

  /// A2 - 1, reduced length (42).
  static func a2Minus1(_ e: Double) -> Double {
    let e2 = e * e
    return (-e2 * (192 + e2 * (28 + 11 * e2)) / 256 - e) / (1 + e)
  }

  /// C2, reduced length (43).
  static func c2(_ e: Double) -> Coefficients {
    let e2 = e * e
    let (e3, e4) = (e * e2, e2 * e2)
    return [
      e * (16 + e2 * (2 + e2)) / 32,
      e2 * (384 + e2 * (64 + 35 * e2)) / 2048,
      e3 * (80 + 15 * e2) / 768,
      e4 * (35 + 7 * e2) / 512,
      e * e4 * 63 / 1280,
      e2 * e4 * 77 / 2048,
    ]
  }

  /// A3, longitude (24).
  static func a3(_ e: Double) -> Double {
    let n = Ellipsoid.thirdFlattening
    let (k1, k2, k3) = ((n - 1) / 2, (-2 + n * (-1 + 3 * n)) / 8, (-1 - n * (3 + n)) / 16)
    return 1 + e * (k1 + e * (k2 + e * (k3 + e * ((-3 - 2 * n) / 64 - e * 3 / 128))))
  }

  /// C3, longitude (25).
  static func c3(_ e: Double) -> Coefficients {
    let n = Ellipsoid.thirdFlattening
    let e2 = e * e
    let (e3, e4) = (e * e2, e2 * e2)
    let first =
      (1 - n * n) / 8 + e * ((3 + n * (3 - n)) / 64 + e * ((5 + 2 * n) / 128 + e * 3 / 128))
    let second =
      (2 + n * (n - 3)) / 32 + e * ((3 - n * (2 + 3 * n)) / 64 + e * ((3 + n) / 128 + e * 5 / 256))
    return [
      e * ((1 - n) / 4 + e * first),
      e2 * second,
      e3 * ((5 + n * (5 * n - 9)) / 192 + e * ((9 - 10 * n) / 384 + e * 7 / 512)),
      e4 * ((7 - 14 * n) / 512 + e * 7 / 512),
      e * e4 * 21 / 2560,
      0,
    ]
  }

  /// The sum of c[k] sin 2(k + 1)x, by Clenshaw's recurrence.
  static func sum(_ c: Coefficients, at x: SineCosine) -> Double {
    let twice = 2 * (x.cosine - x.sine) * (x.cosine + x.sine)
    var (next, afterNext) = (0.0, 0.0)
    for k in stride(from: 5, through: 0, by: -1) {
      (next, afterNext) = (twice * next - afterNext + c[k], next)
    }
    return 2 * x.sine * x.cosine * next
  }
}
