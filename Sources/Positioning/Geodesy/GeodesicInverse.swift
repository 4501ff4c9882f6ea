// SPDX-License-Identifier: Apache-2.0

/// The shortest geodesic between two points: the inverse problem.
///
/// Solved for a standard case (first point south of the equator and no nearer to it than the
/// second, longitude eastward, at most half a turn) to which every pair is brought by mirroring;
/// then by Newton's method on the first azimuth, kept between bounds so that it always ends.
struct GeodesicInverse {
  /// The length in metres.
  let distanceMeters: Double
  /// The direction at the first point; of no meaning where the length is zero.
  let azimuth: SineCosine

  init(from start: Coordinate, to end: Coordinate) {
    var (latitude1, latitude2) = (start.latitudeDegrees, end.latitudeDegrees)
    let turn = Self.turn(from: start.longitudeDegrees, to: end.longitudeDegrees)
    let isSwapped = abs(latitude1) < abs(latitude2)
    if isSwapped { swap(&latitude1, &latitude2) }
    let latitudeSign: Double = latitude1.sign == .plus ? -1 : 1
    let longitudeSign: Double = (turn.isWestward ? -1 : 1) * (isSwapped ? -1 : 1)

    let problem = StandardGeodesic(
      latitude1Degrees: latitude1 * latitudeSign, latitude2Degrees: latitude2 * latitudeSign,
      longitudeDegrees: turn.degrees, supplementDegrees: turn.supplement)
    let (distance, azimuths) = problem.solve()

    let swapSign: Double = isSwapped ? -1 : 1
    let found = isSwapped ? azimuths.second : azimuths.first
    distanceMeters = distance
    azimuth = SineCosine(
      sine: found.sine * swapSign * longitudeSign, cosine: found.cosine * swapSign * latitudeSign)
  }

  /// The longitude difference as 0 to 180 degrees and a sense, with the rest to 180 to full
  /// precision: near the antipode that rest decides.
  private static func turn(
    from first: Double, to second: Double
  ) -> (degrees: Double, supplement: Double, isWestward: Bool) {
    // Both are within ±180, so these two sums are exact up to `error`, and the sum of the
    // remainders is at most one turn.
    let a = (-first).remainder(dividingBy: 360)
    let b = second.remainder(dividingBy: 360)
    let (sum, error) = exactSum(a, b)
    var (difference, rest) = exactSum(sum.remainder(dividingBy: 360), error)
    if difference == 0 || abs(difference) == 180 {
      let isWestward = rest == 0 ? second - first < 0 : rest > 0
      difference = isWestward ? -abs(difference) : abs(difference)
    }
    let isWestward = difference.sign == .minus
    if isWestward { (difference, rest) = (-difference, -rest) }
    return (difference, (180 - difference) - rest, isWestward)
  }

  /// The rounded sum and what the rounding lost (Knuth).
  private static func exactSum(_ a: Double, _ b: Double) -> (sum: Double, lost: Double) {
    let sum = a + b
    let partOfA = sum - b
    let partOfB = sum - partOfA
    return (sum, (a - partOfA) + (b - partOfB))
  }
}
