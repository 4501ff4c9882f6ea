// SPDX-License-Identifier: Apache-2.0

/// One partial statement of a source about one epoch: what one sentence says, or one gpsd TPV.
///
/// Whatever it does not say is `nil`.
public struct FixReport: Equatable, Sendable {
  /// What kind of statement it is, so that the order of a receiver's cycle can be learnt.
  ///
  /// `nil` for satellites in view: receivers send them every few cycles only, so they neither
  /// begin nor end one.
  public var kind: ReportKind?
  /// Number of the talker, where several share one line; `nil` where the source has only one.
  public var talker: UInt16?
  /// The UTC time that it is about; `nil` for kinds that carry none.
  public var timeOfDay: UTCTimeOfDay?
  /// The UTC date.
  public var date: UTCDate?
  /// Whether its time begins an epoch.
  ///
  /// A clock's statement (ZDA) does not: some receivers send it with the time of the coming second.
  public var beginsEpoch = true
  /// Whether it joins an epoch whose time differs from its own by rounding.
  ///
  /// A bare position with a time (GLL) does not: gpsd gives it out by itself.
  public var joinsRoundedTimes = true
  /// Whether the receiver has a solution; `nil` for kinds that do not say.
  ///
  /// Only a report that says so makes a fix, and its speed, course and horizontal dilution outrank
  /// those of a report that does not.
  public var hasSolution: Bool?
  /// Whether it belongs to the coming epoch where it follows a complete one.
  ///
  /// Set for sentences without a time that a recording shows ahead of those with one.
  public var precedesTime = false
  /// Whether the solution has two or three dimensions, by the receiver's own word.
  public var mode: FixMode?
  /// Where.
  public var coordinate: Coordinate?
  /// Height in metres above mean sea level.
  @Known public var altitudeMetersAboveSeaLevel: Double?
  /// Whether the altitude is a rounded copy, used only where there is no other.
  public var isAltitudeCoarse = false
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
  /// How far off the position may be, by the receiver's own word.
  public var horizontalAccuracy: Accuracy?
  /// How far off the altitude may be, by the receiver's own word.
  public var verticalAccuracy: Accuracy?
  /// Error of the speed in metres per second with 95 % confidence, by gpsd or PSRFEPE.
  @Known public var speedAccuracyMetersPerSecond: Double?
  /// Error of the course in degrees with 95 % confidence, 0 to 180, by gpsd or PSRFEPE.
  @Known public var courseAccuracyDegrees: Double?
  /// The dilutions of precision.
  public var dilution = Dilution()
  /// How many satellites were used.
  public var satellitesUsed: Int?
  /// How the position was obtained.
  public var status: FixStatus?
  /// Seconds since the last differential correction.
  @Known public var correctionAgeSeconds: Double?
  /// Whether the source says that it simulates.
  public var isSimulated = false

  /// Makes a report that says nothing yet.
  ///
  /// - Parameter kind: What kind of statement it is.
  public init(kind: ReportKind?) { self.kind = kind }
}
