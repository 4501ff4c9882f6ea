// SPDX-License-Identifier: Apache-2.0

// The one file of this module that needs the C library: Swift has no trigonometry of its own.
import Glibc

/// An angle as a point on the unit circle.
///
/// Geodesics are solved in this form: near a pole or a turning point the angle itself loses the
/// digits that its sine or cosine still has.
struct SineCosine {
  var sine: Double
  var cosine: Double

  init(sine: Double, cosine: Double) {
    self.sine = sine
    self.cosine = cosine
  }

  init(radians: Double) {
    sine = sin(radians)
    cosine = cos(radians)
  }

  /// Exact at every multiple of 90 degrees, which `sin(degrees * pi / 180)` is not.
  init(degrees: Double) {
    let turn = degrees.remainder(dividingBy: 360)
    let quarter = (turn / 90).rounded(.toNearestOrEven)
    let rest = Self.coarsened(turn - 90 * quarter) * (.pi / 180)
    let (s, c) = (sin(rest), cos(rest))
    switch Int(quarter) & 3 {
    case 0: (sine, cosine) = (s, c)
    case 1: (sine, cosine) = (c, -s)
    case 2: (sine, cosine) = (-s, -c)
    default: (sine, cosine) = (-c, s)
    }
  }

  /// Takes from angles near zero the digits that mean less than a picometre on the ground, so
  /// that no product of two of them underflows.
  private static func coarsened(_ degrees: Double) -> Double {
    let limit = 1.0 / 16
    guard abs(degrees) < limit else { return degrees }
    return Double(
      signOf: degrees, magnitudeOf: limit - (limit - abs(degrees)))
  }

  /// The angle of a direction of any length above zero.
  init(directionSine sine: Double, cosine: Double) {
    let length = hypot(sine, cosine)
    self.sine = sine / length
    self.cosine = cosine / length
  }

  /// The angle, -pi to pi.
  var radians: Double { atan2(sine, cosine) }

  /// The angle, -180 to 180, exact at every multiple of 90.
  var degrees: Double {
    // The arc tangent is only asked for -45 to 45 degrees, where its result is nearest.
    if abs(sine) <= abs(cosine) {
      if cosine >= 0 { return atan2(sine, cosine) * (180 / .pi) }
      let half: Double = sine.sign == .minus ? -180 : 180
      return half - atan2(sine, -cosine) * (180 / .pi)
    }
    let rest = atan2(cosine, abs(sine)) * (180 / .pi)
    return sine > 0 ? 90 - rest : rest - 90
  }

  /// The sum of two angles.
  static func + (left: SineCosine, right: SineCosine) -> SineCosine {
    SineCosine(
      sine: left.sine * right.cosine + left.cosine * right.sine,
      cosine: left.cosine * right.cosine - left.sine * right.sine)
  }

  /// The angle from one to another.
  static func - (left: SineCosine, right: SineCosine) -> SineCosine {
    SineCosine(
      sine: left.sine * right.cosine - left.cosine * right.sine,
      cosine: left.cosine * right.cosine + left.sine * right.sine)
  }

  /// The length of the hypotenuse, without overflow on the way.
  static func hypotenuse(_ x: Double, _ y: Double) -> Double { hypot(x, y) }

  /// The real cube root.
  static func cubeRoot(_ x: Double) -> Double { cbrt(x) }
}
