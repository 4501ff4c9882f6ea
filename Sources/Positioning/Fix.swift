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

extension Fix {
  /// Fills in error estimates from the dilutions, where the receiver stated none.
  mutating func estimateErrors() {
    guard let range = RangeError(status) else { return }
    if horizontalAccuracy == nil, let dilution = dilution.horizontal {
      horizontalAccuracy = Accuracy(
        meters: range.horizontalMeters(dilution: dilution), confidencePercent: 95, basis: .dilution)
    }
    if mode == .threeDimensional, verticalAccuracy == nil, let dilution = dilution.vertical {
      verticalAccuracy = Accuracy(
        meters: range.verticalMeters(dilution: dilution), confidencePercent: 95, basis: .dilution)
    }
  }

  /// Fills in the third of two altitudes and the separation between their surfaces.
  mutating func deriveAltitudes() {
    guard let separation = geoidSeparationMeters else { return }
    if let seaLevel = altitudeMetersAboveSeaLevel, altitudeMetersAboveEllipsoid == nil {
      altitudeMetersAboveEllipsoid = seaLevel + separation
    } else if let ellipsoid = altitudeMetersAboveEllipsoid, altitudeMetersAboveSeaLevel == nil {
      altitudeMetersAboveSeaLevel = ellipsoid - separation
    }
  }

  /// Drops the altitude of a fix that has two dimensions: it was assumed, not solved.
  mutating func withoutAltitude() {
    altitudeMetersAboveSeaLevel = nil
    altitudeMetersAboveEllipsoid = nil
    geoidSeparationMeters = nil
    verticalAccuracy = nil
    climbMetersPerSecond = nil
  }
}

extension Fix {
  /// The largest speed that NMEA fields are read with: 100,000 knots, in metres per second.
  private static let maxSpeed = 100_000.0 * 463 / 900
  /// From below the deepest sea to beyond every orbit of a satellite, in metres.
  private static let altitudes = -20_000.0...100_000_000.0
  /// The largest error of a position on the globe that says anything, in metres.
  private static let maxErrorMeters = 50_000_000.0

  /// Drops each value that no receiver can have measured; the rest of the fix stays.
  ///
  /// The one bound for NMEA and gpsd alike. A course of exactly 360 degrees becomes 0.
  mutating func removeImplausibleValues() {
    func keep(_ value: inout Double?, _ range: ClosedRange<Double>) {
      if let stated = value, !range.contains(stated) { value = nil }
    }
    keep(&altitudeMetersAboveSeaLevel, Self.altitudes)
    keep(&altitudeMetersAboveEllipsoid, Self.altitudes)
    keep(&geoidSeparationMeters, -1000...1000)
    keep(&speedMetersPerSecond, 0...Self.maxSpeed)
    keep(&climbMetersPerSecond, -Self.maxSpeed...Self.maxSpeed)
    keep(&courseDegreesTrue, 0...360)
    if courseDegreesTrue == 360 { courseDegreesTrue = 0 }
    keep(&magneticVariationDegrees, -180...180)
    keep(&speedAccuracyMetersPerSecond, 0...Self.maxSpeed)
    keep(&courseAccuracyDegrees, 0...180)
    horizontalAccuracy = horizontalAccuracy.flatMap { $0.meters <= Self.maxErrorMeters ? $0 : nil }
    verticalAccuracy = verticalAccuracy.flatMap { $0.meters <= Self.maxErrorMeters ? $0 : nil }
  }
}

extension Fix {
  /// The fix that a location was made of, for those who write it as `TPV`.
  public init(_ location: Location) {
    self.init(mode: location.mode)
    time = location.time
    coordinate = location.coordinate
    altitudeMetersAboveSeaLevel = location.altitudeMetersAboveSeaLevel
    altitudeMetersAboveEllipsoid = location.altitudeMetersAboveEllipsoid
    geoidSeparationMeters = location.geoidSeparationMeters
    horizontalAccuracy = location.horizontalAccuracy
    verticalAccuracy = location.verticalAccuracy
    speedMetersPerSecond = location.speedMetersPerSecond
    courseDegreesTrue = location.courseDegreesTrue
    climbMetersPerSecond = location.climbMetersPerSecond
    magneticVariationDegrees = location.magneticVariationDegrees
    dilution = location.dilution
    satellitesUsed = location.satellitesUsed
    status = location.status
    correctionAgeSeconds = location.correctionAgeSeconds
    source = location.source
    isSimulated = location.isSimulated
    isDateCorrected = location.isDateCorrected
    receivedAt = location.receivedAt
  }
}
