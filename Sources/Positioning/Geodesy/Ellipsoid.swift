// SPDX-License-Identifier: Apache-2.0

/// The WGS 84 ellipsoid and what follows from its two numbers.
enum Ellipsoid {
  /// Equatorial radius in metres.
  static let equatorialRadius = 6_378_137.0
  /// Flattening.
  static let flattening = 1 / 298.257223563
  /// Polar over equatorial radius.
  static let axisRatio = 1 - flattening
  /// Polar radius in metres.
  static let polarRadius = equatorialRadius * axisRatio
  /// Third flattening, (a - b) / (a + b): the variable of the series.
  static let thirdFlattening = flattening / (2 - flattening)
  /// Second eccentricity, squared.
  static let secondEccentricitySquared =
    flattening * (2 - flattening) / (axisRatio * axisRatio)

  /// The smallest cosine of a latitude: a pole is taken as a point this close to it, so that the
  /// longitude keeps meaning a direction there.
  static let tiny = 0x1p-511

  /// The reduced latitude of a geodetic latitude.
  static func reducedLatitude(degrees: Double) -> SineCosine {
    let geodetic = SineCosine(degrees: degrees)
    var reduced = SineCosine(
      directionSine: axisRatio * geodetic.sine, cosine: geodetic.cosine)
    reduced.cosine = max(tiny, reduced.cosine)
    return reduced
  }

  /// The square root of 1 + e'² sin² of a reduced latitude.
  static func scale(_ reduced: SineCosine) -> Double {
    (1 + secondEccentricitySquared * reduced.sine * reduced.sine).squareRoot()
  }

  /// The expansion parameter of a geodesic that crosses the equator at an azimuth of that cosine.
  static func expansion(cosineOfEquatorialAzimuth cosine: Double) -> Double {
    let k2 = cosine * cosine * secondEccentricitySquared
    return k2 / (2 * (1 + (1 + k2).squareRoot()) + k2)
  }
}
