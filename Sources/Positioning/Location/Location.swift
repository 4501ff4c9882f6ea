// SPDX-License-Identifier: Apache-2.0

/// A fix that passed authorization, as delivered to a program.
///
/// Core Location's `CLLocation` is an object in which negative values and accuracies mark invalid
/// properties. Differs in that it is a value type that always has a position, and in that every
/// other unknown property is `nil`.
///
/// Encoding omits ``receivedAt``, which has no meaning for another board or after a restart.
public struct Location: Equatable, Hashable, Codable, Sendable {
  /// The position on WGS 84.
  ///
  /// Core Location's is invalid if the horizontal accuracy is negative. Differs in that it is
  /// always valid: a fix without a position makes no location.
  public var coordinate: Coordinate
  /// Height in metres above mean sea level.
  ///
  /// Core Location's `altitude`, which is invalid if the vertical accuracy is not above 0. Differs
  /// in that it is then `nil`.
  public var altitudeMetersAboveSeaLevel: Double?
  /// Height in metres above the WGS 84 ellipsoid.
  ///
  /// Core Location's `ellipsoidalAltitude`, which is invalid if the vertical accuracy is not above
  /// 0. Differs in that it is then `nil`; many receivers state only the other height.
  public var altitudeMetersAboveEllipsoid: Double?
  /// Height in metres of the geoid above the ellipsoid, stated by the receiver.
  public var geoidSeparationMeters: Double?
  /// The horizontal error, at the confidence stated by the receiver.
  ///
  /// Core Location has one figure, whose counterpart is ``horizontalAccuracyMeters``.
  public var horizontalAccuracy: Accuracy?
  /// The vertical error, at the confidence stated by the receiver.
  ///
  /// Core Location has one figure, whose counterpart is ``verticalAccuracyMeters``.
  public var verticalAccuracy: Accuracy?
  /// Speed over ground in metres per second, 0 or more.
  ///
  /// Core Location's `speed`, which is negative if unknown. Differs in that it is then `nil`.
  public var speedMetersPerSecond: Double?
  /// Error of the speed in metres per second, at 68 % confidence.
  ///
  /// Core Location's `speedAccuracy`, which is negative if unknown. Differs in that it is then
  /// `nil`. gpsd states it for any receiver, computed from successive positions if the receiver
  /// does not state it. Of NMEA sentences only SiRF's PSRFEPE has it: the errors in GST are those
  /// of the position.
  public var speedAccuracyMetersPerSecond: Double?
  /// Course over ground in degrees from true north, 0 to below 360; not the heading of the bow.
  ///
  /// Core Location's `course`, which is negative if unknown. Differs in that it is then `nil`.
  public var courseDegreesTrue: Double?
  /// Error of the course in degrees, 0 to 180, at 68 % confidence.
  ///
  /// Core Location's `courseAccuracy`, which is negative if unknown. Differs in that it is then
  /// `nil`. It has the same sources as ``speedAccuracyMetersPerSecond``.
  public var courseAccuracyDegrees: Double?
  /// Vertical speed in metres per second, up positive, stated by the receiver.
  public var climbMetersPerSecond: Double?
  /// Magnetic variation in degrees, east positive, stated by the receiver.
  public var magneticVariationDegrees: Double?
  /// The dilutions of precision.
  public var dilution: Dilution
  /// The UTC time of the location, stated by the receiver.
  ///
  /// Core Location's `timestamp`, which is always known. Differs in that it is `nil` if the
  /// receiver does not know the time; it is never replaced by the time of arrival.
  public var time: UTCTime?
  /// The time of arrival; `nil` in a replay without pauses.
  public var receivedAt: MonotonicTime?
  /// The dimensions of the solution.
  public var mode: FixMode
  /// The number of satellites used.
  public var satellitesUsed: Int?
  /// How the position was obtained.
  public var status: FixStatus?
  /// Seconds since the last differential correction.
  public var correctionAgeSeconds: Double?
  /// The name of the receiver or source.
  public var source: String?
  /// Whether the location is from a simulator.
  public var isSimulated: Bool
  /// Whether a GPS week rollover in the receiver's date has been corrected.
  public var isDateCorrected: Bool

  private enum CodingKeys: String, CodingKey {
    case coordinate, altitudeMetersAboveSeaLevel, altitudeMetersAboveEllipsoid
    case geoidSeparationMeters, horizontalAccuracy, verticalAccuracy, speedMetersPerSecond
    case speedAccuracyMetersPerSecond, courseDegreesTrue, courseAccuracyDegrees
    case climbMetersPerSecond, magneticVariationDegrees, dilution, time, mode, satellitesUsed
    case status, correctionAgeSeconds, source, isSimulated, isDateCorrected
  }

  /// Makes a two-dimensional location with a coordinate and a time.
  ///
  /// Core Location's `init(latitude:longitude:)`. Differs in that it takes a valid coordinate, and
  /// in that the time does not default to the current time.
  public init(coordinate: Coordinate, time: UTCTime? = nil) {
    self.coordinate = coordinate
    self.time = time
    mode = .twoDimensional
    dilution = Dilution()
    isSimulated = false
    isDateCorrected = false
  }

  /// Makes a location from a fix; `nil` if the fix has no position.
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
    // Both are one-dimensional errors at 95 % confidence, like that of a height.
    let converted = { (stated: Double) in
      Accuracy(meters: stated, confidencePercent: 95, basis: .dilution)?
        .verticalMeters(atConfidencePercent: Self.confidencePercent)
    }
    speedAccuracyMetersPerSecond = fix.speedAccuracyMetersPerSecond.flatMap(converted)
    courseAccuracyDegrees = fix.courseAccuracyDegrees.flatMap(converted)
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
  /// The horizontal error radius in metres at 68 % confidence.
  ///
  /// Core Location's `horizontalAccuracy`, a radius of uncertainty that is commonly read as 68 %
  /// and that is negative if the position is invalid. Differs in that it is `nil` if unknown.
  /// Receivers and gpsd state errors at other confidence levels, most at 95 %. For equal normal
  /// errors east and north, the radius at 68 % is sqrt(ln 0.32 / ln 0.05) = 0.617 of the radius at
  /// 95 %. The stated error is in ``horizontalAccuracy``.
  public var horizontalAccuracyMeters: Double? {
    horizontalAccuracy?.horizontalMeters(atConfidencePercent: Self.confidencePercent)
  }

  /// The vertical error in metres at 68 % confidence, for both altitudes.
  ///
  /// Core Location's `verticalAccuracy`, which is not above 0 if the altitudes are invalid. Differs
  /// in that it is `nil` if unknown. For a normal error it is 0.507 of the half-width at 95 %.
  public var verticalAccuracyMeters: Double? {
    verticalAccuracy?.verticalMeters(atConfidencePercent: Self.confidencePercent)
  }

  /// The confidence that users of Core Location expect an accuracy to have.
  static let confidencePercent = 68.0

  /// Returns the seconds from ``receivedAt`` to `now`, 0 or more; `nil` if ``receivedAt`` is.
  public func ageSeconds(at now: MonotonicTime) -> Double? {
    receivedAt.map { max(0, now.seconds(since: $0)) }
  }

  /// Returns the distance to another location in metres, ignoring heights.
  ///
  /// As in Core Location's `distance(from:)` it follows the curvature of the Earth. Here that is
  /// the WGS 84 ellipsoid; Core Location does not state its model.
  public func distanceMeters(to other: Location) -> Double {
    coordinate.distanceMeters(to: other.coordinate)
  }
}
