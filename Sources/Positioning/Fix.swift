// SPDX-License-Identifier: Apache-2.0

/// The position, velocity and time that a receiver solved for one epoch.
///
/// Unknown values are `nil`. A fix with the mode ``FixMode/none`` has no position: the receiver
/// sends data but has no solution.
public struct Fix: Equatable, Hashable, Sendable {
  /// The dimensions of the solution.
  public var mode: FixMode
  /// The UTC time of the fix, stated by the receiver.
  public var time: UTCTime?
  /// The position on WGS 84.
  public var coordinate: Coordinate?
  /// Height in metres above mean sea level (the geoid).
  @Known public var altitudeMetersAboveSeaLevel: Double?
  /// Height in metres above the WGS 84 ellipsoid.
  @Known public var altitudeMetersAboveEllipsoid: Double?
  /// Height in metres of the geoid above the ellipsoid, stated by the receiver.
  @Known public var geoidSeparationMeters: Double?
  /// Speed over ground in metres per second, 0 or more.
  @Known public var speedMetersPerSecond: Double?
  /// Course over ground in degrees from true north, 0 to below 360.
  @Known public var courseDegreesTrue: Double?
  /// Vertical speed in metres per second, up positive, stated by the receiver.
  @Known public var climbMetersPerSecond: Double?
  /// Magnetic variation in degrees, east positive, stated by the receiver.
  @Known public var magneticVariationDegrees: Double?
  /// Heading of the bow in degrees from true north, 0 to below 360, from a compass or two antennas.
  ///
  /// The heading is never derived from the course over ground, and may be known without a position.
  @Known public var headingDegreesTrue: Double?
  /// Heading of the bow in degrees from magnetic north, 0 to below 360, from a compass.
  @Known public var headingDegreesMagnetic: Double?
  /// Roll in degrees, -180 to 180, starboard down positive, from the sensor of the heading.
  @Known public var rollDegrees: Double?
  /// Pitch in degrees, -90 to 90, bow up positive, from the sensor of the heading.
  @Known public var pitchDegrees: Double?
  /// The horizontal error.
  public var horizontalAccuracy: Accuracy?
  /// The vertical error.
  public var verticalAccuracy: Accuracy?
  /// Error of the speed in metres per second with 95 % confidence.
  ///
  /// `nil` if the source does not state it. Of all NMEA sentences, only SiRF's PSRFEPE states it.
  @Known public var speedAccuracyMetersPerSecond: Double?
  /// Error of the course in degrees with 95 % confidence, 0 to 180.
  ///
  /// `nil` if the source does not state it. Of all NMEA sentences, only SiRF's PSRFEPE states it.
  @Known public var courseAccuracyDegrees: Double?
  /// The dilutions of precision.
  public var dilution: Dilution
  /// The number of satellites used.
  public var satellitesUsed: Int?
  /// The method by which the position was obtained.
  public var status: FixStatus?
  /// Seconds since the last differential correction.
  @Known public var correctionAgeSeconds: Double?
  /// The name of the receiver or source, such as `/dev/ttyACM0` or the name of a log.
  public var source: String?
  /// Whether the fix is from a simulator.
  public var isSimulated: Bool
  /// Whether the fix is from a recording, and not from the present.
  public var isReplayed: Bool
  /// Whether a GPS week rollover in the receiver's date has been corrected.
  public var isDateCorrected: Bool
  /// Whether the fix is from sentences without a checksum, so that damage may be undetected.
  public var isUnchecked: Bool
  /// The time at which the last byte of the epoch arrived; `nil` in a replay at full speed.
  public var receivedAt: MonotonicTime?
  /// The time at which the first report of the epoch arrived; `nil` if unknown.
  ///
  /// Differs from ``receivedAt`` by the duration of the receiver's burst, which is half a second at
  /// 9600 baud and varies with the number of satellites in view.
  package var firstReceivedAt: MonotonicTime?
  /// The recorded time of a replayed fix, converted to the monotonic clock.
  ///
  /// May be before the system started. `nil` if the fix is not replayed, if the recording contains
  /// no date, and in a replay at full speed.
  public var recordedAt: MonotonicTime?

  /// Makes a fix with a mode and no other values.
  public init(mode: FixMode) {
    self.mode = mode
    dilution = Dilution()
    isSimulated = false
    isReplayed = false
    isDateCorrected = false
    isUnchecked = false
  }
}

extension Fix {
  /// Returns the seconds since the fix was true; `nil` if unknown.
  ///
  /// The age of a replayed fix counts from its recorded time.
  public func ageSeconds(at now: MonotonicTime) -> Double? {
    (isReplayed ? recordedAt : receivedAt).map { now.seconds(since: $0) }
  }

  /// Estimates the errors from the dilutions, unless the receiver stated them.
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

  /// Computes the missing altitude from the other altitude and the geoid separation.
  mutating func deriveAltitudes() {
    guard let separation = geoidSeparationMeters else { return }
    if let seaLevel = altitudeMetersAboveSeaLevel, altitudeMetersAboveEllipsoid == nil {
      altitudeMetersAboveEllipsoid = seaLevel + separation
    } else if let ellipsoid = altitudeMetersAboveEllipsoid, altitudeMetersAboveSeaLevel == nil {
      altitudeMetersAboveSeaLevel = ellipsoid - separation
    }
  }

  /// Removes the altitude of a two-dimensional fix, because the receiver only assumed it.
  mutating func removeAltitude() {
    altitudeMetersAboveSeaLevel = nil
    altitudeMetersAboveEllipsoid = nil
    geoidSeparationMeters = nil
    verticalAccuracy = nil
    climbMetersPerSecond = nil
  }
}

extension Fix {
  /// The maximum speed of NMEA fields, 100,000 knots, in metres per second.
  private static let maxSpeed = 100_000.0 * 463 / 900
  /// Plausible altitudes in metres, from below the deepest sea to above all satellite orbits.
  private static let altitudes = -20_000.0...100_000_000.0
  /// The maximum meaningful position error in metres, more than the circumference of the Earth.
  private static let maxErrorMeters = 50_000_000.0

  /// Removes each value that is outside the plausible range; other values are unchanged.
  ///
  /// Used for both NMEA and gpsd. A course of exactly 360 degrees becomes 0.
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
  /// Makes a fix from a location, for output as a gpsd `TPV`.
  public init(_ location: Location) {
    mode = location.mode
    time = location.time
    coordinate = location.coordinate
    altitudeMetersAboveSeaLevel = location.altitudeMetersAboveSeaLevel
    altitudeMetersAboveEllipsoid = location.altitudeMetersAboveEllipsoid
    geoidSeparationMeters = location.geoidSeparationMeters
    horizontalAccuracy = location.horizontalAccuracy
    verticalAccuracy = location.verticalAccuracy
    speedMetersPerSecond = location.speedMetersPerSecond
    courseDegreesTrue = location.courseDegreesTrue
    let converted = { (stated: Double) in
      Accuracy(meters: stated, confidencePercent: Location.confidencePercent, basis: .dilution)?
        .verticalMeters(atConfidencePercent: 95)
    }
    speedAccuracyMetersPerSecond = location.speedAccuracyMetersPerSecond.flatMap(converted)
    courseAccuracyDegrees = location.courseAccuracyDegrees.flatMap(converted)
    climbMetersPerSecond = location.climbMetersPerSecond
    magneticVariationDegrees = location.magneticVariationDegrees
    dilution = location.dilution
    satellitesUsed = location.satellitesUsed
    status = location.status
    correctionAgeSeconds = location.correctionAgeSeconds
    source = location.source
    isSimulated = location.isSimulated
    isReplayed = location.isReplayed
    isDateCorrected = location.isDateCorrected
    isUnchecked = false
    receivedAt = location.receivedAt
    firstReceivedAt = location.firstReceivedAt
    recordedAt = location.recordedAt
  }
}
