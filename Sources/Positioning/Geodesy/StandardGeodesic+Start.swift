// SPDX-License-Identifier: Apache-2.0

extension StandardGeodesic {
  /// Where the iteration begins, or that there is no need of one.
  enum Start {
    /// Short enough for a sphere that touches: arc, scale and directions are final.
    case short(arc: Double, scale: Double, azimuths: Azimuths)
    /// A first azimuth.
    case guess(SineCosine)
  }

  /// A first azimuth, from the sphere or, near the antipode, from the astroid (section 5).
  func start() -> Start {
    let beta12 = beta2 - beta1
    let sineSum = beta2.sine * beta1.cosine + beta2.cosine * beta1.sine
    let isShort =
      beta12.cosine >= 0 && beta12.sine < 0.5 && beta2.cosine * lambda12Radians < 0.5
    var omega12 = lambda12
    var scale = 1.0
    if isShort {
      let sines = (beta1.sine + beta2.sine) * (beta1.sine + beta2.sine)
      let cosines = (beta1.cosine + beta2.cosine) * (beta1.cosine + beta2.cosine)
      scale = (1 + Ellipsoid.secondEccentricitySquared * sines / (sines + cosines)).squareRoot()
      omega12 = SineCosine(radians: lambda12Radians / (Ellipsoid.axisRatio * scale))
    }
    let s2 = omega12.sine * omega12.sine
    var direction = SineCosine(
      sine: beta2.cosine * omega12.sine,
      cosine: omega12.cosine >= 0
        ? beta12.sine + beta2.cosine * beta1.sine * s2 / (1 + omega12.cosine)
        : sineSum - beta2.cosine * beta1.sine * s2 / (1 - omega12.cosine))
    let sineSigma = SineCosine.hypotenuse(direction.sine, direction.cosine)
    let cosineSigma =
      beta1.sine * beta2.sine + beta1.cosine * beta2.cosine * omega12.cosine

    if isShort, sineSigma < Self.shortArc {
      let atEnd = SineCosine(
        sine: beta1.cosine * omega12.sine,
        cosine: beta12.sine - beta1.cosine * beta2.sine
          * (omega12.cosine >= 0 ? s2 / (1 + omega12.cosine) : 1 - omega12.cosine))
      let arc = SineCosine(sine: sineSigma, cosine: cosineSigma).radians
      return .short(
        arc: arc, scale: scale,
        azimuths: Azimuths(first: Self.eastward(direction), second: Self.eastward(atEnd)))
    }
    let isNearAntipode =
      cosineSigma < 0
      && sineSigma < 6 * Ellipsoid.thirdFlattening * .pi * beta1.cosine * beta1.cosine
    if isNearAntipode { direction = nearAntipode(sineOfLatitudeSum: sineSum) }
    return .guess(Self.eastward(direction))
  }

  /// The largest arc for which ``Start/short(arc:scale:azimuths:)`` is exact to rounding.
  private static let shortArc =
    0.1 * Tolerance.squareRoot
    / (Ellipsoid.flattening * (1 - Ellipsoid.flattening / 2) / 2).squareRoot()

  /// Solves the problem in the plane scaled so that the envelope of geodesics is an astroid.
  private func nearAntipode(sineOfLatitudeSum sineSum: Double) -> SineCosine {
    let fromAntipode = SineCosine(sine: -lambda12.sine, cosine: -lambda12.cosine).radians
    let epsilon = Ellipsoid.expansion(cosineOfEquatorialAzimuth: beta1.sine)
    let longitudeScale =
      Ellipsoid.flattening * beta1.cosine * GeodesicSeries.a3(epsilon) * .pi
    let x = fromAntipode / longitudeScale
    let y = sineSum / (longitudeScale * beta1.cosine)
    if y > -200 * Tolerance.unit, x > -1 - 1000 * Tolerance.squareRoot {
      // On the cut itself: two solutions, mirrored; take the one over the pole side.
      let sine = min(1, -x)
      return SineCosine(sine: sine, cosine: -(1 - sine * sine).squareRoot())
    }
    let k = Self.astroid(x, y)
    let omega = SineCosine(radians: longitudeScale * -x * k / (1 + k))
    return SineCosine(
      sine: beta2.cosine * omega.sine,
      cosine: sineSum - beta2.cosine * beta1.sine * omega.sine * omega.sine / (1 + omega.cosine))
  }

  /// The positive root k of k^4 + 2k^3 - (x^2 + y^2 - 1)k^2 - 2y^2 k - y^2 = 0 ((55)).
  static func astroid(_ x: Double, _ y: Double) -> Double {
    let (p, q) = (x * x, y * y)
    let r = (p + q - 1) / 6
    guard q != 0 || r > 0 else { return 0 }
    let s = p * q / 4
    let r3 = r * r * r
    let discriminant = s * (s + 2 * r3)
    var u = r
    if discriminant >= 0 {
      let t3 = s + r3
      // The sign keeps the sum from cancelling.
      let root = discriminant.squareRoot()
      let t = SineCosine.cubeRoot(t3 + (t3 < 0 ? -root : root))
      u += t + (t != 0 ? r * r / t : 0)
    } else {
      let angle = SineCosine(sine: (-discriminant).squareRoot(), cosine: -(s + r3)).radians
      u += 2 * r * SineCosine(radians: angle / 3).cosine
    }
    let v = (u * u + q).squareRoot()
    let uv = u < 0 ? q / (v - u) : u + v
    let w = (uv - q) / (2 * v)
    return uv / ((uv + w * w).squareRoot() + w)
  }

  /// A direction brought to length one.
  ///
  /// East where it does not lead eastward at all: the standard case has no such solution, but the
  /// stretched longitude of the short form can pass half a turn close to a pole.
  static func eastward(_ direction: SineCosine) -> SineCosine {
    guard direction.sine > 0 else { return SineCosine(sine: 1, cosine: 0) }
    return SineCosine(directionSine: direction.sine, cosine: direction.cosine)
  }
}
