// SPDX-License-Identifier: Apache-2.0

/// A fix that passed authorization, as delivered to a program.
///
/// Corresponds to `CLLocation`, which marks invalid properties with negative values and accuracies.
/// Differs from Core Location: this is a value type that always has a position. Every other unknown
/// property is `nil`.
///
/// Encoding omits ``receivedAt`` and ``recordedAt``, which have no meaning for another board or after
/// a restart, and the heading, which is a value of its own.
public struct Location: Equatable, Hashable, Codable, Sendable {
  /// The position on WGS 84.
  ///
  /// Corresponds to `CLLocation.coordinate`. Differs from Core Location: the position is always
  /// valid, because no location is created from a fix without a position.
  public var coordinate: Coordinate
  /// Height in metres above mean sea level.
  ///
  /// Corresponds to `CLLocation.altitude`. Differs from Core Location: `nil` if unknown.
  public var altitudeMetersAboveSeaLevel: Double?
  /// Height in metres above the WGS 84 ellipsoid.
  ///
  /// Corresponds to `CLLocation.ellipsoidalAltitude`. Differs from Core Location: `nil` if unknown.
  /// Many receivers send only ``altitudeMetersAboveSeaLevel``.
  public var altitudeMetersAboveEllipsoid: Double?
  /// Height in metres of the geoid above the ellipsoid, stated by the receiver.
  public var geoidSeparationMeters: Double?
  /// The horizontal error, at the confidence stated by the receiver.
  ///
  /// The counterpart of `CLLocation.horizontalAccuracy` is ``horizontalAccuracyMeters``.
  public var horizontalAccuracy: Accuracy?
  /// The vertical error, at the confidence stated by the receiver.
  ///
  /// The counterpart of `CLLocation.verticalAccuracy` is ``verticalAccuracyMeters``.
  public var verticalAccuracy: Accuracy?
  /// Speed over ground in metres per second, 0 or more.
  ///
  /// Corresponds to `CLLocation.speed`. Differs from Core Location: `nil` if unknown.
  public var speedMetersPerSecond: Double?
  /// Error of the speed in metres per second, at 68 % confidence.
  ///
  /// Corresponds to `CLLocation.speedAccuracy`. Differs from Core Location: `nil` if unknown. gpsd
  /// reports this error for any receiver, and computes it from successive positions if the receiver
  /// does not report it. The only NMEA sentence with this error is SiRF's PSRFEPE: GST contains
  /// only the errors of the position.
  public var speedAccuracyMetersPerSecond: Double?
  /// Course over ground in degrees from true north, 0 to below 360; not the heading of the bow.
  ///
  /// Corresponds to `CLLocation.course`. Differs from Core Location: `nil` if unknown.
  public var courseDegreesTrue: Double?
  /// Error of the course in degrees, 0 to 180, at 68 % confidence.
  ///
  /// Corresponds to `CLLocation.courseAccuracy`. Differs from Core Location: `nil` if unknown. The
  /// sources are those of ``speedAccuracyMetersPerSecond``.
  public var courseAccuracyDegrees: Double?
  /// Vertical speed in metres per second, up positive, stated by the receiver.
  public var climbMetersPerSecond: Double?
  /// Magnetic variation in degrees, east positive, stated by the receiver.
  public var magneticVariationDegrees: Double?
  /// The dilutions of precision.
  public var dilution: Dilution
  /// The UTC time of the location, stated by the receiver.
  ///
  /// Corresponds to `CLLocation.timestamp`. Differs from Core Location: `nil` if the receiver does
  /// not know the time. The time of arrival is never used instead.
  public var time: UTCTime?
  /// The time of arrival; `nil` in a replay at full speed.
  public var receivedAt: MonotonicTime?
  /// The time at which the first report of the epoch arrived; `nil` if unknown.
  package var firstReceivedAt: MonotonicTime?
  /// The recorded time of a replayed location, converted to the monotonic clock; otherwise `nil`.
  public var recordedAt: MonotonicTime?
  /// The dimensions of the solution.
  public var mode: FixMode
  /// The number of satellites used.
  public var satellitesUsed: Int?
  /// The method by which the position was obtained.
  public var status: FixStatus?
  /// Seconds since the last differential correction.
  public var correctionAgeSeconds: Double?
  /// The name of the receiver or source.
  public var source: String?
  /// Whether the location is from a simulator.
  public var isSimulated: Bool
  /// Whether the location is from a recording, and not from the present.
  public var isReplayed: Bool {
    get { replayedMark ?? false }
    set { replayedMark = newValue ? true : nil }
  }
  /// `nil` instead of false, as in locations that were encoded by earlier versions.
  private var replayedMark: Bool?
  /// Whether a GPS week rollover in the receiver's date has been corrected.
  public var isDateCorrected: Bool
  /// The heading of the location's epoch; `nil` if unknown.
  package var heading: Heading?

  private enum CodingKeys: String, CodingKey {
    case coordinate, altitudeMetersAboveSeaLevel, altitudeMetersAboveEllipsoid
    case geoidSeparationMeters, horizontalAccuracy, verticalAccuracy, speedMetersPerSecond
    case speedAccuracyMetersPerSecond, courseDegreesTrue, courseAccuracyDegrees
    case climbMetersPerSecond, magneticVariationDegrees, dilution, time, mode, satellitesUsed
    case status, correctionAgeSeconds, source, isSimulated, isDateCorrected
    case replayedMark = "isReplayed"
  }

  /// Makes a two-dimensional location with a coordinate and a time.
  ///
  /// Corresponds to `CLLocation.init(latitude:longitude:)`. Differs from Core Location: the
  /// coordinate is always valid, and the time does not default to the current time.
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
    // Speed and course errors are one-dimensional at 95 % confidence, like the vertical error.
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
    firstReceivedAt = fix.firstReceivedAt
    recordedAt = fix.recordedAt
    mode = fix.mode
    satellitesUsed = fix.satellitesUsed
    status = fix.status
    correctionAgeSeconds = fix.correctionAgeSeconds
    source = fix.source
    isSimulated = fix.isSimulated
    isDateCorrected = fix.isDateCorrected
    isReplayed = fix.isReplayed
    heading = Heading(fix)
  }
}

extension Location {
  /// The horizontal error radius in metres at 68 % confidence.
  ///
  /// Corresponds to `CLLocation.horizontalAccuracy`, which is commonly assumed to be at 68 %
  /// confidence. Differs from Core Location: `nil` if unknown. Receivers and gpsd report errors at
  /// other confidence levels, most at 95 %. For equal normal errors east and north, the radius at
  /// 68 % is sqrt(ln 0.32 / ln 0.05) = 0.617 of the radius at 95 %. The stated error is in
  /// ``horizontalAccuracy``.
  public var horizontalAccuracyMeters: Double? {
    horizontalAccuracy?.horizontalMeters(atConfidencePercent: Self.confidencePercent)
  }

  /// The vertical error in metres at 68 % confidence, for both altitudes.
  ///
  /// Corresponds to `CLLocation.verticalAccuracy`. Differs from Core Location: `nil` if unknown.
  /// For a normally distributed error, it is 0.507 of the half-width at 95 %.
  public var verticalAccuracyMeters: Double? {
    verticalAccuracy?.verticalMeters(atConfidencePercent: Self.confidencePercent)
  }

  /// The confidence that users of Core Location expect an accuracy to have.
  static let confidencePercent = 68.0

  /// Returns the seconds from ``receivedAt`` to `now`, 0 or more; `nil` if ``receivedAt`` is `nil`.
  ///
  /// The age of a replayed location counts from ``recordedAt``.
  public func ageSeconds(at now: MonotonicTime) -> Double? {
    (isReplayed ? recordedAt : receivedAt).map { max(0, now.seconds(since: $0)) }
  }

  /// Returns the distance to another location in metres, ignoring heights.
  ///
  /// Corresponds to `CLLocation.distance(from:)`. The distance is measured on the WGS 84 ellipsoid;
  /// Core Location does not document its model of the Earth.
  public func distanceMeters(to other: Location) -> Double {
    coordinate.distanceMeters(to: other.coordinate)
  }
}
