// SPDX-License-Identifier: Apache-2.0

/// A partial report about one epoch: the content of one sentence or of one gpsd TPV.
///
/// Values that the report does not contain are `nil`.
public struct FixReport: Equatable, Sendable {
  /// The kind of report, used to learn the order of a receiver's cycle.
  ///
  /// `nil` for satellites in view: receivers send these only every few cycles, so such a report
  /// neither begins nor ends a cycle.
  public var kind: ReportKind?
  /// The number of the talker, if several talkers share one line; otherwise `nil`.
  public var talker: UInt16?
  /// The UTC time of the epoch; `nil` for kinds without a time.
  public var timeOfDay: UTCTimeOfDay?
  /// The UTC date.
  public var date: UTCDate?
  /// Whether the report's time begins an epoch.
  ///
  /// False for a clock report (ZDA): some receivers send ZDA with the time of the next second.
  public var beginsEpoch = true
  /// Whether the report joins an epoch whose time differs only by rounding.
  ///
  /// False for a position with nothing but a time (GLL), which gpsd reports separately.
  public var joinsRoundedTimes = true
  /// Whether the receiver has a solution; `nil` for kinds of report that do not state this.
  ///
  /// An epoch yields a fix only if one of its reports states this property or is undecided. Speed,
  /// course and horizontal dilution from such a report take precedence.
  public var hasSolution: Bool?
  /// Whether the report contains a position, but leaves open whether the receiver has a solution.
  ///
  /// ``hasSolution`` is then `nil`, and the other reports of the epoch decide.
  public var isUndecided = false
  /// Whether the report, if it follows a complete epoch, belongs to the next epoch.
  ///
  /// Set in a recording for sentences without a time that precede the sentences with a time.
  public var precedesTime = false
  /// The mode stated by the receiver.
  public var mode: FixMode?
  /// The position on WGS 84.
  public var coordinate: Coordinate?
  /// Height in metres above mean sea level.
  @Known public var altitudeMetersAboveSeaLevel: Double?
  /// Whether the altitude is a rounded copy, which is used only if there is no other altitude.
  public var isAltitudeCoarse = false
  /// The rank of the heights of this report: 2 for GGA, 1 for GNS, 0 for other reports.
  ///
  /// Heights of a higher rank take precedence if altitude and geoid separation are known.
  public var heightRank: UInt8 = 0
  /// Height in metres above the WGS 84 ellipsoid.
  @Known public var altitudeMetersAboveEllipsoid: Double?
  /// Height in metres of the geoid above the ellipsoid.
  @Known public var geoidSeparationMeters: Double?
  /// Speed over ground in metres per second.
  @Known public var speedMetersPerSecond: Double?
  /// Course over ground in degrees from true north.
  @Known public var courseDegreesTrue: Double?
  /// Vertical speed in metres per second, up positive.
  @Known public var climbMetersPerSecond: Double?
  /// Magnetic variation in degrees, east positive.
  @Known public var magneticVariationDegrees: Double?
  /// The horizontal error stated by the receiver.
  public var horizontalAccuracy: Accuracy?
  /// The vertical error stated by the receiver.
  public var verticalAccuracy: Accuracy?
  /// Error of the speed in metres per second with 95 % confidence, from gpsd or PSRFEPE.
  @Known public var speedAccuracyMetersPerSecond: Double?
  /// Error of the course in degrees with 95 % confidence, 0 to 180, from gpsd or PSRFEPE.
  @Known public var courseAccuracyDegrees: Double?
  /// The dilutions of precision.
  public var dilution = Dilution()
  /// The number of satellites used.
  public var satellitesUsed: Int?
  /// The method by which the position was obtained.
  public var status: FixStatus?
  /// Seconds since the last differential correction.
  @Known public var correctionAgeSeconds: Double?
  /// Whether the source states that it is a simulator.
  public var isSimulated = false

  /// Makes a report without values.
  public init(kind: ReportKind?) { self.kind = kind }

  /// Whether the report is of a kind that states whether there is a solution.
  var concernsSolution: Bool { hasSolution != nil || isUndecided }
}
