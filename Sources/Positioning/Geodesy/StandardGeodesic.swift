// SPDX-License-Identifier: Apache-2.0

/// An inverse problem brought to the standard case: see ``GeodesicInverse``.
struct StandardGeodesic {
  /// The direction of the solution at both points.
  struct Azimuths {
    var first: SineCosine
    var second: SineCosine
  }

  /// Reduced latitudes; the first is not above zero and no nearer to it than the second.
  let beta1: SineCosine
  let beta2: SineCosine
  /// The longitude difference, 0 to pi.
  let lambda12: SineCosine
  let lambda12Radians: Double
  /// What the longitude difference lacks to 180 degrees.
  let supplementDegrees: Double
  let scale1: Double
  let scale2: Double

  init(
    latitude1Degrees: Double, latitude2Degrees: Double, longitudeDegrees: Double,
    supplementDegrees: Double
  ) {
    let beta1 = Ellipsoid.reducedLatitude(degrees: latitude1Degrees)
    var beta2 = Ellipsoid.reducedLatitude(degrees: latitude2Degrees)
    // Equal latitudes must stay exactly equal: what follows tests for it.
    if beta1.cosine < -beta1.sine {
      if beta2.cosine == beta1.cosine {
        beta2.sine = Double(signOf: beta2.sine, magnitudeOf: beta1.sine)
      }
    } else if abs(beta2.sine) == -beta1.sine {
      beta2.cosine = beta1.cosine
    }
    self.beta1 = beta1
    self.beta2 = beta2
    scale1 = Ellipsoid.scale(beta1)
    scale2 = Ellipsoid.scale(beta2)
    self.supplementDegrees = supplementDegrees
    if longitudeDegrees > 90 {
      let supplement = SineCosine(degrees: supplementDegrees)
      lambda12 = SineCosine(sine: supplement.sine, cosine: -supplement.cosine)
    } else {
      lambda12 = SineCosine(degrees: longitudeDegrees)
    }
    lambda12Radians = longitudeDegrees * (.pi / 180)
  }

  /// Solves for the length in metres and the directions.
  func solve() -> (distanceMeters: Double, azimuths: Azimuths) {
    if beta1.cosine == Ellipsoid.tiny || lambda12.sine == 0, let found = alongMeridian() {
      return found
    }
    if beta1.sine == 0, supplementDegrees >= Ellipsoid.flattening * 180 {
      // Beyond this longitude the equator is no longer the shortest way.
      let east = SineCosine(sine: 1, cosine: 0)
      return (
        Ellipsoid.equatorialRadius * lambda12Radians, Azimuths(first: east, second: east)
      )
    }
    switch start() {
    case .short(let sigma12, let scale, let azimuths):
      return (sigma12 * Ellipsoid.polarRadius * scale, azimuths)
    case .guess(let azimuth):
      return iterate(from: azimuth)
    }
  }

  /// The meridian, unless there is a shorter way beside it.
  private func alongMeridian() -> (Double, Azimuths)? {
    let azimuths = Azimuths(first: lambda12, second: SineCosine(sine: 0, cosine: 1))
    let sigma1 = SineCosine(sine: beta1.sine, cosine: lambda12.cosine * beta1.cosine)
    let sigma12 = arc(from: sigma1, to: beta2)
    let (length, reduced) = lengths(
      epsilon: Ellipsoid.thirdFlattening, arc: sigma12, from: sigma1, to: beta2)
    // A negative reduced length means that the meridian has passed the conjugate point.
    guard sigma12 < Tolerance.squareRoot || reduced >= 0 else { return nil }
    let isNothing =
      sigma12 < 3 * Ellipsoid.tiny
      || sigma12 < Tolerance.unit && (length < 0 || reduced < 0)
    return (isNothing ? 0 : length * Ellipsoid.polarRadius, azimuths)
  }

  /// The arc between two points of one great circle, 0 to pi.
  func arc(from first: SineCosine, to second: SineCosine) -> Double {
    let difference = second - first
    // A sum with zero takes the sign from minus zero, whose arc would be minus pi.
    return SineCosine(sine: max(0, difference.sine) + 0, cosine: difference.cosine).radians
  }

  /// Length and reduced length of an arc, over the polar radius ((38) to (40)).
  func lengths(
    epsilon: Double, arc: Double, from sigma1: SineCosine, to sigma2: SineCosine
  ) -> (length: Double, reduced: Double) {
    let c1 = GeodesicSeries.c1(epsilon)
    let c2 = GeodesicSeries.c2(epsilon)
    let (a1, a2) = (GeodesicSeries.a1Minus1(epsilon), GeodesicSeries.a2Minus1(epsilon))
    let b1 = GeodesicSeries.sum(c1, at: sigma2) - GeodesicSeries.sum(c1, at: sigma1)
    let b2 = GeodesicSeries.sum(c2, at: sigma2) - GeodesicSeries.sum(c2, at: sigma1)
    let j12 = (a1 - a2) * arc + ((1 + a1) * b1 - (1 + a2) * b2)
    let reduced =
      scale2 * (sigma1.cosine * sigma2.sine) - scale1 * (sigma1.sine * sigma2.cosine)
      - sigma1.cosine * sigma2.cosine * j12
    return ((1 + a1) * (arc + b1), reduced)
  }

  /// How near is near enough.
  enum Tolerance {
    static let unit = Double.ulpOfOne
    static let squareRoot = Double.ulpOfOne.squareRoot()
  }
}
