// SPDX-License-Identifier: Apache-2.0

extension StandardGeodesic {
  /// Newton's method on the azimuth, and bisection where that strays ((44) to (46)).
  ///
  /// Newton takes two to five rounds; the bound is what bisection alone would need for every bit.
  func iterate(from guess: SineCosine) -> (distanceMeters: Double, azimuths: Azimuths) {
    let newtonRounds = 20
    let allRounds = newtonRounds + Double.significandBitCount + 11
    var azimuth = guess
    // The root lies between these two: nearly north and nearly south.
    var low = SineCosine(sine: Ellipsoid.tiny, cosine: 1)
    var high = SineCosine(sine: Ellipsoid.tiny, cosine: -1)
    var isNewtonDone = false
    var isBisectionDone = false
    var hit = shoot(azimuth)
    for round in 0..<allRounds {
      let miss = hit.missRadians
      // Also leaves the loop where the miss is not a number.
      guard !isBisectionDone, abs(miss) >= (isNewtonDone ? 8 : 1) * Tolerance.unit else { break }
      let slope = azimuth.cosine / azimuth.sine
      if miss > 0, round > newtonRounds || slope > high.cosine / high.sine {
        high = azimuth
      } else if miss < 0, round > newtonRounds || slope < low.cosine / low.sine {
        low = azimuth
      }
      if round < newtonRounds, let next = newtonStep(from: azimuth, hit: hit) {
        isNewtonDone = abs(miss) <= 16 * Tolerance.unit
        azimuth = next
      } else {
        azimuth = SineCosine(
          directionSine: (low.sine + high.sine) / 2, cosine: (low.cosine + high.cosine) / 2)
        isNewtonDone = false
        isBisectionDone =
          abs(low.sine - azimuth.sine) + (low.cosine - azimuth.cosine) < Tolerance.unit
          || abs(azimuth.sine - high.sine) + (azimuth.cosine - high.cosine) < Tolerance.unit
      }
      hit = shoot(azimuth)
    }
    let (length, _) = lengths(
      epsilon: hit.epsilon, arc: hit.arc, from: hit.sigma1, to: hit.sigma2)
    return (
      length * Ellipsoid.polarRadius, Azimuths(first: azimuth, second: hit.azimuth2)
    )
  }

  private func newtonStep(from azimuth: SineCosine, hit: Hit) -> SineCosine? {
    let derivative = hit.missPerAzimuth(self)
    guard derivative > 0 else { return nil }
    let step = -hit.missRadians / derivative
    guard abs(step) < .pi else { return nil }
    let next = azimuth + SineCosine(radians: step)
    guard next.sine > 0 else { return nil }
    return SineCosine(directionSine: next.sine, cosine: next.cosine)
  }

  /// Where a geodesic of a given first azimuth meets the second latitude.
  struct Hit {
    var azimuth1: SineCosine
    var azimuth2: SineCosine
    var sigma1: SineCosine
    var sigma2: SineCosine
    var arc: Double
    var epsilon: Double
    /// By how much the longitude there exceeds the wanted one.
    var missRadians: Double

    func missPerAzimuth(_ problem: StandardGeodesic) -> Double {
      if azimuth2.cosine == 0 {
        return -2 * Ellipsoid.axisRatio * problem.scale1 / problem.beta1.sine
      }
      let (_, reduced) = problem.lengths(epsilon: epsilon, arc: arc, from: sigma1, to: sigma2)
      return reduced * Ellipsoid.axisRatio / (azimuth2.cosine * problem.beta2.cosine)
    }
  }

  /// Follows the geodesic of that first azimuth to the second latitude (section 4).
  private func shoot(_ first: SineCosine) -> Hit {
    var azimuth1 = first
    // Along the equator: lift the degeneracy to the side that the standard case is on.
    if beta1.sine == 0, azimuth1.cosine == 0 { azimuth1.cosine = -Ellipsoid.tiny }
    let sine0 = azimuth1.sine * beta1.cosine
    let cosine0 = SineCosine.hypotenuse(azimuth1.cosine, azimuth1.sine * beta1.sine)
    let cosineSigma1 = azimuth1.cosine * beta1.cosine

    // Clairaut gives the second azimuth; its cosine out of a difference of squares that keeps
    // its digits.
    let isSameLatitude = beta2.cosine == beta1.cosine && abs(beta2.sine) == -beta1.sine
    let squares =
      beta1.cosine < -beta1.sine
      ? (beta2.cosine - beta1.cosine) * (beta1.cosine + beta2.cosine)
      : (beta1.sine - beta2.sine) * (beta1.sine + beta2.sine)
    let azimuth2 = SineCosine(
      sine: beta2.cosine != beta1.cosine ? sine0 / beta2.cosine : azimuth1.sine,
      cosine: isSameLatitude
        ? abs(azimuth1.cosine)
        : max(0, cosineSigma1 * cosineSigma1 + squares).squareRoot() / beta2.cosine)
    let cosineSigma2 = azimuth2.cosine * beta2.cosine

    let sigma1 = SineCosine(directionSine: beta1.sine, cosine: cosineSigma1)
    let sigma2 = SineCosine(directionSine: beta2.sine, cosine: cosineSigma2)
    let arc = arc(from: sigma1, to: sigma2)
    let omega1 = SineCosine(sine: sine0 * beta1.sine, cosine: cosineSigma1)
    let omega2 = SineCosine(sine: sine0 * beta2.sine, cosine: cosineSigma2)
    var omega12 = omega2 - omega1
    omega12.sine = max(0, omega12.sine) + 0

    let epsilon = Ellipsoid.expansion(cosineOfEquatorialAzimuth: cosine0)
    let c3 = GeodesicSeries.c3(epsilon)
    let b3 = GeodesicSeries.sum(c3, at: sigma2) - GeodesicSeries.sum(c3, at: sigma1)
    let shortening =
      Ellipsoid.flattening * GeodesicSeries.a3(epsilon) * sine0 * (arc + b3)
    return Hit(
      azimuth1: azimuth1, azimuth2: azimuth2, sigma1: sigma1, sigma2: sigma2, arc: arc,
      epsilon: epsilon, missRadians: (omega12 - lambda12).radians - shortening)
  }
}
