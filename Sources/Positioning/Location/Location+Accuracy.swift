// SPDX-License-Identifier: Apache-2.0

extension Location {
  /// The radius in metres that holds the position two times out of three.
  ///
  /// Core Location's `horizontalAccuracy`, a radius of uncertainty that its users read as 68 % and
  /// that is negative where the position is invalid. Differs in that unknown is `nil`. Receivers
  /// and gpsd state errors at other confidences, most at 95 %. Where east and north err alike and
  /// normally, the radius at 68 % is sqrt(ln 0.32 / ln 0.05) = 0.617 of that at 95 %. What was
  /// stated is kept in ``horizontalAccuracy``.
  public var horizontalAccuracyMeters: Double? {
    horizontalAccuracy?.horizontalMeters(atConfidencePercent: Self.confidencePercent)
  }

  /// The half-width in metres that holds the height two times out of three.
  ///
  /// Core Location's `verticalAccuracy`, which is not above 0 where the heights are invalid, and
  /// stands for both of them, as here. Differs in that unknown is `nil`. For a normal error it is
  /// 0.507 of the half-width at 95 %.
  public var verticalAccuracyMeters: Double? {
    verticalAccuracy?.verticalMeters(atConfidencePercent: Self.confidencePercent)
  }

  /// The confidence that users of Core Location expect an accuracy to have.
  static let confidencePercent = 68.0

  /// Seconds since it arrived.
  ///
  /// - Parameter now: The present reading of the clock that receivedAt is of.
  /// - Returns: The age, 0 or more; `nil` where it is not known when it arrived.
  public func ageSeconds(at now: MonotonicTime) -> Double? {
    receivedAt.map { max(0, now.seconds(since: $0)) }
  }

  /// The way to another location in metres.
  ///
  /// As in Core Location's `distance(from:)` it follows the curvature of the Earth, and height is
  /// not considered. Core Location does not say over which figure; here it is the ellipsoid.
  ///
  /// - Parameter other: Where to.
  /// - Returns: Metres.
  public func distanceMeters(to other: Location) -> Double {
    coordinate.distanceMeters(to: other.coordinate)
  }
}
