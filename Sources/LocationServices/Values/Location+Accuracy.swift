// SPDX-License-Identifier: Apache-2.0

public import Positioning

extension Location {
  /// The radius in metres that holds the position two times out of three, as in Core Location.
  ///
  /// Receivers and gpsd state errors at other confidences, most at 95 %. Where east and north err
  /// alike and normally, the radius at 68 % is sqrt(ln 0.32 / ln 0.05) = 0.617 of that at 95 %.
  /// What was stated is kept in horizontalAccuracy. Unknown is `nil`, not negative.
  public var horizontalAccuracyMeters: Double? {
    horizontalAccuracy?.horizontalMeters(atConfidencePercent: Self.confidencePercent)
  }

  /// The half-width in metres that holds the height two times out of three.
  ///
  /// For a normal error that is 0.507 of the half-width at 95 %. It stands for both altitudes, as
  /// in Core Location. Unknown is `nil`, not 0 or below.
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

  /// The way to another location in metres, over the ellipsoid; height is not considered.
  ///
  /// - Parameter other: Where to.
  /// - Returns: Metres.
  public func distanceMeters(to other: Location) -> Double {
    coordinate.distanceMeters(to: other.coordinate)
  }
}
