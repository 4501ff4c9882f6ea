// SPDX-License-Identifier: Apache-2.0

/// The position, velocity and time that a receiver solved for one epoch.
///
/// Everything unknown is `nil`. A fix of mode ``FixMode/none`` carries no position: it says that
/// the receiver is alive and has none.
public struct Fix: Equatable, Hashable, Sendable {
  /// What could be solved for.
  public var mode: FixMode
  /// When it was true, by the receiver.
  public var time: UTCTime?
  /// Where, on WGS 84.
  public var coordinate: Coordinate?
  /// Height in metres above mean sea level (the geoid).
  @Known public var altitudeMetersAboveSeaLevel: Double?
  /// Height in metres above the WGS 84 ellipsoid; known only where the geoid separation is.
  @Known public var altitudeMetersAboveEllipsoid: Double?
  /// Height in metres of the geoid above the ellipsoid, as the receiver stated it.
  @Known public var geoidSeparationMeters: Double?
  /// Speed over ground in metres per second, 0 or more.
  @Known public var speedMetersPerSecond: Double?
  /// Course over ground in degrees from true north, 0 to below 360.
  @Known public var courseDegreesTrue: Double?
  /// Vertical speed in metres per second, up positive, where the receiver states it.
  @Known public var climbMetersPerSecond: Double?
  /// Magnetic variation in degrees, east positive, where the receiver states it.
  @Known public var magneticVariationDegrees: Double?
  /// Where the bow points by a compass or two antennas, in degrees from true north, 0 to below 360.
  ///
  /// Never the course over ground; known also where there is no position.
  @Known public var headingDegreesTrue: Double?
  /// Where the bow points by a compass, in degrees from magnetic north, 0 to below 360.
  @Known public var headingDegreesMagnetic: Double?
  /// How far off the position may be.
  public var horizontalAccuracy: Accuracy?
  /// How far off the altitude may be.
  public var verticalAccuracy: Accuracy?
  /// Error of the speed in metres per second with 95 % confidence.
  ///
  /// `nil` where the source does not state it. Of NMEA receivers only SiRF's do (PSRFEPE).
  @Known public var speedAccuracyMetersPerSecond: Double?
  /// Error of the course in degrees with 95 % confidence, 0 to 180.
  ///
  /// `nil` where the source does not state it. Of NMEA receivers only SiRF's do (PSRFEPE).
  @Known public var courseAccuracyDegrees: Double?
  /// The dilutions of precision.
  public var dilution: Dilution
  /// How many satellites the solution used.
  public var satellitesUsed: Int?
  /// How the position was obtained.
  public var status: FixStatus?
  /// Seconds since the last differential correction.
  @Known public var correctionAgeSeconds: Double?
  /// The receiver or source it comes from, by the name it keeps: `/dev/ttyACM0`, a log's name.
  public var source: String?
  /// Whether it comes from a simulator.
  public var isSimulated: Bool
  /// Whether the receiver's date was out by whole GPS week cycles and has been put right.
  public var isDateCorrected: Bool
  /// When the last byte of the epoch arrived; `nil` in a replay at once.
  public var receivedAt: MonotonicTime?

  /// Makes a fix of which only the mode is known.
  public init(mode: FixMode) {
    self.mode = mode
    dilution = Dilution()
    isSimulated = false
    isDateCorrected = false
  }
}
