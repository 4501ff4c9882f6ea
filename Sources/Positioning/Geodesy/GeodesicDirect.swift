// SPDX-License-Identifier: Apache-2.0

/// Where a geodesic leads: the direct problem.
enum GeodesicDirect {
  /// Solves it.
  ///
  /// - Returns: Latitude and longitude in degrees, the longitude not yet brought into its range.
  static func solve(
    from start: Coordinate, azimuthDegrees: Double, distanceMeters: Double
  ) -> (latitudeDegrees: Double, longitudeDegrees: Double) {
    let azimuth = SineCosine(degrees: azimuthDegrees)
    let beta1 = Ellipsoid.reducedLatitude(degrees: start.latitudeDegrees)
    // The azimuth where the geodesic, prolonged, crosses the equator northward.
    let sineAzimuth0 = azimuth.sine * beta1.cosine
    let cosineAzimuth0 = SineCosine.hypotenuse(azimuth.cosine, azimuth.sine * beta1.sine)
    // Arc length from that crossing, and the spherical longitude that belongs to it.
    let onEquatorEastward = beta1.sine == 0 && azimuth.cosine == 0
    let cosineSigma1 = onEquatorEastward ? 1 : beta1.cosine * azimuth.cosine
    let sigma1 = SineCosine(directionSine: beta1.sine, cosine: cosineSigma1)
    let omega1 = SineCosine(sine: sineAzimuth0 * beta1.sine, cosine: cosineSigma1)

    let epsilon = Ellipsoid.expansion(cosineOfEquatorialAzimuth: cosineAzimuth0)
    let c1 = GeodesicSeries.c1(epsilon)
    let c3 = GeodesicSeries.c3(epsilon)
    let b1 = GeodesicSeries.sum(c1, at: sigma1)
    let tau1 = sigma1 + SineCosine(radians: b1)
    let tau12 =
      distanceMeters / (Ellipsoid.polarRadius * (1 + GeodesicSeries.a1Minus1(epsilon)))
    let b2 = -GeodesicSeries.sum(
      GeodesicSeries.c1Inverse(epsilon), at: tau1 + SineCosine(radians: tau12))
    let sigma12 = tau12 - (b2 - b1)
    var sigma2 = sigma1 + SineCosine(radians: sigma12)

    var cosineBeta2 = SineCosine.hypotenuse(sineAzimuth0, cosineAzimuth0 * sigma2.cosine)
    if cosineBeta2 == 0 {
      cosineBeta2 = Ellipsoid.tiny
      sigma2.cosine = Ellipsoid.tiny
    }
    let latitude = SineCosine(
      sine: cosineAzimuth0 * sigma2.sine, cosine: Ellipsoid.axisRatio * cosineBeta2)
    let omega2 = SineCosine(sine: sineAzimuth0 * sigma2.sine, cosine: sigma2.cosine)
    let arc = sigma12 + GeodesicSeries.sum(c3, at: sigma2) - GeodesicSeries.sum(c3, at: sigma1)
    let lambda12 =
      (omega2 - omega1).radians
      - Ellipsoid.flattening * sineAzimuth0 * GeodesicSeries.a3(epsilon) * arc
    return (latitude.degrees, start.longitudeDegrees + lambda12 * (180 / .pi))
  }
}
