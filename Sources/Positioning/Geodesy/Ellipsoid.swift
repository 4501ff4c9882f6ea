// SPDX-License-Identifier: Apache-2.0

// For trigonometric functions.
import Glibc

/// The WGS 84 ellipsoid with Vincenty's solutions of the two geodesic problems.
///
/// T. Vincenty, "Direct and inverse solutions of geodesics on the ellipsoid", Survey Review 23
/// (1975). Both solutions are accurate to a millimetre where they converge.
enum Ellipsoid {
  private static let flattening = 1 / 298.257223563
  private static let equatorialRadius = 6_378_137.0
  private static let polarRadius = equatorialRadius * (1 - flattening)
  /// Half the length of a meridian ellipse, divided by pi: on a sphere of this radius, antipodes
  /// are as far apart as the poles of the ellipsoid.
  private static let meridianRadius = 20_003_931.458_625_4 / .pi

  /// Solves the inverse problem.
  ///
  /// The iteration does not converge within about 90 km of the antipode. There the result is
  /// computed on the great circle: the distance is accurate to 0.2 %, but the bearing differs from
  /// that of the geodesic.
  static func inverse(
    from start: Coordinate, to end: Coordinate
  ) -> (distanceMeters: Double, bearingRadians: Double) {
    let longitude =
      (end.longitudeDegrees - start.longitudeDegrees).remainder(dividingBy: 360) * .pi / 180
    let (sine1, cosine1) = reducedLatitude(start.latitudeDegrees)
    let (sine2, cosine2) = reducedLatitude(end.latitudeDegrees)
    var lambda = longitude
    for _ in 0..<100 {
      let east = cosine2 * sin(lambda)
      let north = cosine1 * sine2 - sine1 * cosine2 * cos(lambda)
      let sineSigma = hypot(east, north)
      let cosineSigma = sine1 * sine2 + cosine1 * cosine2 * cos(lambda)
      guard sineSigma > 0 || cosineSigma < 0 else { return (0, 0) }
      let sigma = atan2(sineSigma, cosineSigma)
      let sineAlpha = sineSigma > 0 ? cosine1 * east / sineSigma : 0
      let cosineAlphaSquared = 1 - sineAlpha * sineAlpha
      // A geodesic along the equator has no northernmost point.
      let middle =
        cosineAlphaSquared > 0 ? cosineSigma - 2 * sine1 * sine2 / cosineAlphaSquared : 0
      let next =
        longitude
        + longitudeExcess(sigma, sineSigma, cosineSigma, middle, sineAlpha: sineAlpha)
      guard abs(next) <= .pi else { break }
      if abs(next - lambda) <= 1e-13 * abs(next) {
        let (scale, b) = series(cosineAlphaSquared)
        let arc = sigma - arcExcess(sineSigma, cosineSigma, middle, b)
        return (polarRadius * scale * arc, atan2(east, north))
      }
      lambda = next
    }
    let east = cosine2 * sin(longitude)
    let north = cosine1 * sine2 - sine1 * cosine2 * cos(longitude)
    let cosineSigma = sine1 * sine2 + cosine1 * cosine2 * cos(longitude)
    return (meridianRadius * atan2(hypot(east, north), cosineSigma), atan2(east, north))
  }

  /// Solves the direct problem; the longitude of the result may be outside -180 to 180.
  static func direct(
    from start: Coordinate, bearingRadians: Double, distanceMeters: Double
  ) -> (latitudeDegrees: Double, longitudeDegrees: Double) {
    let (sine1, cosine1) = reducedLatitude(start.latitudeDegrees)
    let (sineBearing, cosineBearing) = (sin(bearingRadians), cos(bearingRadians))
    let sigma1 = atan2(sine1, cosine1 * cosineBearing)
    let sineAlpha = cosine1 * sineBearing
    let (scale, b) = series(1 - sineAlpha * sineAlpha)
    let straight = distanceMeters / (polarRadius * scale)
    var sigma = straight
    // Each iteration adds three digits: the excess is a thousandth of the arc.
    for _ in 0..<6 {
      sigma = straight + arcExcess(sin(sigma), cos(sigma), cos(2 * sigma1 + sigma), b)
    }
    let (sineSigma, cosineSigma) = (sin(sigma), cos(sigma))
    let inward = sine1 * sineSigma - cosine1 * cosineSigma * cosineBearing
    let latitude = atan2(
      sine1 * cosineSigma + cosine1 * sineSigma * cosineBearing,
      (1 - flattening) * hypot(sineAlpha, inward))
    let lambda = atan2(
      sineSigma * sineBearing, cosine1 * cosineSigma - sine1 * sineSigma * cosineBearing)
    let excess = longitudeExcess(
      sigma, sineSigma, cosineSigma, cos(2 * sigma1 + sigma), sineAlpha: sineAlpha)
    return (latitude * 180 / .pi, start.longitudeDegrees + (lambda - excess) * 180 / .pi)
  }

  /// Returns the sine and cosine of a reduced latitude.
  ///
  /// The cosine is exactly 0 at a pole, so that all longitudes there are the same point.
  private static func reducedLatitude(_ degrees: Double) -> (sine: Double, cosine: Double) {
    guard abs(degrees) < 90 else { return (degrees < 0 ? -1 : 1, 0) }
    let (y, x) = ((1 - flattening) * sin(degrees * .pi / 180), cos(degrees * .pi / 180))
    return (y / hypot(y, x), x / hypot(y, x))
  }

  /// Returns Vincenty's A and B in Helmert's expansion.
  private static func series(_ cosineAlphaSquared: Double) -> (scale: Double, b: Double) {
    let secondEccentricitySquared =
      (equatorialRadius / polarRadius) * (equatorialRadius / polarRadius) - 1
    let root = (1 + max(cosineAlphaSquared, 0) * secondEccentricitySquared).squareRoot()
    let k = (root - 1) / (root + 1)
    return ((1 + k * k / 4) / (1 - k), k * (1 - 3 * k * k / 8))
  }

  /// Returns the arc on the sphere minus the arc on the ellipsoid.
  private static func arcExcess(
    _ sineSigma: Double, _ cosineSigma: Double, _ middle: Double, _ b: Double
  ) -> Double {
    let twice = 2 * middle * middle - 1
    let third = b / 6 * middle * (4 * sineSigma * sineSigma - 3) * (4 * middle * middle - 3)
    return b * sineSigma * (middle + b / 4 * (cosineSigma * twice - third))
  }

  /// Returns the longitude on the sphere minus the longitude on the ellipsoid.
  private static func longitudeExcess(
    _ sigma: Double, _ sineSigma: Double, _ cosineSigma: Double, _ middle: Double,
    sineAlpha: Double
  ) -> Double {
    let cosineAlphaSquared = 1 - sineAlpha * sineAlpha
    let c = flattening / 16 * cosineAlphaSquared * (4 + flattening * (4 - 3 * cosineAlphaSquared))
    let inner = middle + c * cosineSigma * (2 * middle * middle - 1)
    return (1 - c) * flattening * sineAlpha * (sigma + c * sineSigma * inner)
  }
}
