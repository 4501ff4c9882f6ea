// SPDX-License-Identifier: Apache-2.0

/// A fix that passed authorization: what a program gets.
///
/// Core Location's `CLLocation` is an object of which any part may be invalid, which a negative
/// accuracy or value says. Differs in that it is a value that always has a position, and in that
/// whatever else the receiver did not say is `nil`: nobody takes "unknown" for a number by mistake.
///
/// Encoded, it is without ``receivedAt``, a reading of a clock that no other program and no later
/// boot shares.
public struct Location: Equatable, Hashable, Codable, Sendable {
  /// Where, on WGS 84.
  ///
  /// Core Location's is to be ignored where the horizontal accuracy is negative. Differs in that it
  /// is always valid: a fix without a position makes no location.
  public var coordinate: Coordinate
  /// Height in metres above mean sea level.
  ///
  /// Core Location's `altitude`, to be ignored where the vertical accuracy is not above 0. Differs
  /// in that unknown is `nil`.
  public var altitudeMetersAboveSeaLevel: Double?
  /// Height in metres above the WGS 84 ellipsoid.
  ///
  /// Core Location's `ellipsoidalAltitude`, to be ignored where the vertical accuracy is not above
  /// 0. Differs in that unknown is `nil`; many receivers state only the other height.
  public var altitudeMetersAboveEllipsoid: Double?
  /// Height in metres of the geoid above the ellipsoid, as the receiver stated it.
  public var geoidSeparationMeters: Double?
  /// How far off the position may be, at the confidence it was stated at.
  ///
  /// Core Location has one figure, whose counterpart is ``horizontalAccuracyMeters``.
  public var horizontalAccuracy: Accuracy?
  /// How far off the height may be, at the confidence it was stated at.
  ///
  /// Core Location has one figure, whose counterpart is ``verticalAccuracyMeters``.
  public var verticalAccuracy: Accuracy?
  /// Speed over ground in metres per second, 0 or more.
  ///
  /// Core Location's `speed`, which is negative where it is unknown. Differs in that unknown is
  /// `nil`.
  public var speedMetersPerSecond: Double?
  /// How far off the speed may be two times out of three, in metres per second.
  ///
  /// Core Location's `speedAccuracy`, which is negative where it is unknown. Differs in that
  /// unknown is `nil`, and often so: only gpsd says, for any receiver, and out of successive
  /// positions where the receiver itself is silent. No sentence of NMEA carries it: GST is about
  /// positions.
  public var speedAccuracyMetersPerSecond: Double?
  /// Course over ground in degrees from true north, 0 to below 360: not where the bow points.
  ///
  /// Core Location's `course`, which is negative where it is unknown. Differs in that unknown is
  /// `nil`.
  public var courseDegreesTrue: Double?
  /// How far off the course may be two times out of three, in degrees, 0 to 180.
  ///
  /// Core Location's `courseAccuracy`, which is negative where it is unknown. Differs in that
  /// unknown is `nil`, which is the rule: it comes from the same source as
  /// ``speedAccuracyMetersPerSecond``.
  public var courseAccuracyDegrees: Double?
  /// Vertical speed in metres per second, up positive, where the receiver states it.
  public var climbMetersPerSecond: Double?
  /// Magnetic variation in degrees, east positive, where the receiver states it.
  public var magneticVariationDegrees: Double?
  /// The dilutions of precision.
  public var dilution: Dilution
  /// When it was true, by the receiver.
  ///
  /// Core Location's `timestamp`, which is always there. Differs in that it is the receiver's own
  /// time, and `nil` where the receiver does not know it: the time of arrival is no substitute.
  public var time: UTCTime?
  /// When it arrived; `nil` in a replay at once.
  public var receivedAt: MonotonicTime?
  /// What the receiver solved for.
  public var mode: FixMode
  /// How many satellites the solution used.
  public var satellitesUsed: Int?
  /// How the position was obtained.
  public var status: FixStatus?
  /// Seconds since the last differential correction.
  public var correctionAgeSeconds: Double?
  /// The source it comes from, by the name it keeps.
  public var source: String?
  /// Whether it comes from a simulator.
  public var isSimulated: Bool
  /// Whether the receiver's date was out by whole GPS week cycles and has been put right.
  public var isDateCorrected: Bool

  private enum CodingKeys: String, CodingKey {
    case coordinate, altitudeMetersAboveSeaLevel, altitudeMetersAboveEllipsoid
    case geoidSeparationMeters, horizontalAccuracy, verticalAccuracy, speedMetersPerSecond
    case speedAccuracyMetersPerSecond, courseDegreesTrue, courseAccuracyDegrees
    case climbMetersPerSecond, magneticVariationDegrees, dilution, time, mode, satellitesUsed
    case status, correctionAgeSeconds, source, isSimulated, isDateCorrected
  }

  /// Makes a location of which only the place is known.
  ///
  /// Core Location's `init(latitude:longitude:)`. Differs in that it takes a coordinate, which is
  /// within its range, and states no time that it was not given.
  ///
  /// - Parameters:
  ///   - coordinate: Where.
  ///   - time: When it was true.
  public init(coordinate: Coordinate, time: UTCTime? = nil) {
    self.coordinate = coordinate
    self.time = time
    mode = .twoDimensional
    dilution = Dilution()
    isSimulated = false
    isDateCorrected = false
  }

  /// Makes a location out of a fix; `nil` where the fix has no position.
  public init?(_ fix: Fix) {
    guard fix.mode > .none, let coordinate = fix.coordinate else { return nil }
    self.coordinate = coordinate
    altitudeMetersAboveSeaLevel = fix.altitudeMetersAboveSeaLevel
    altitudeMetersAboveEllipsoid = fix.altitudeMetersAboveEllipsoid
    geoidSeparationMeters = fix.geoidSeparationMeters
    horizontalAccuracy = fix.horizontalAccuracy
    verticalAccuracy = fix.verticalAccuracy
    speedMetersPerSecond = fix.speedMetersPerSecond
    courseDegreesTrue = fix.courseDegreesTrue
    // Stated with 95 % confidence; one dimension each, like a height.
    let narrows = { (stated: Double) in
      Accuracy(meters: stated, confidencePercent: 95, basis: .dilution)?
        .verticalMeters(atConfidencePercent: Self.confidencePercent)
    }
    speedAccuracyMetersPerSecond = fix.speedAccuracyMetersPerSecond.flatMap(narrows)
    courseAccuracyDegrees = fix.courseAccuracyDegrees.flatMap(narrows)
    climbMetersPerSecond = fix.climbMetersPerSecond
    magneticVariationDegrees = fix.magneticVariationDegrees
    dilution = fix.dilution
    time = fix.time
    receivedAt = fix.receivedAt
    mode = fix.mode
    satellitesUsed = fix.satellitesUsed
    status = fix.status
    correctionAgeSeconds = fix.correctionAgeSeconds
    source = fix.source
    isSimulated = fix.isSimulated
    isDateCorrected = fix.isDateCorrected
  }
}

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
