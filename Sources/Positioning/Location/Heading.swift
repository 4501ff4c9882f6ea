// SPDX-License-Identifier: Apache-2.0

/// The direction of the bow, from a compass or two antennas.
///
/// The heading differs from the course over ground (`Location.courseDegreesTrue`) and is never
/// derived from it.
///
/// Corresponds to `CLHeading`. Differs from Core Location: there is no strength of the magnetic
/// field along three axes, which no receiver reports. Unknown values are `nil`, not negative.
public struct Heading: Equatable, Hashable, Codable, Sendable {
  /// Degrees from true north, 0 to below 360; `nil` if only the magnetic heading is known.
  ///
  /// Corresponds to `CLHeading.trueHeading`. Differs from Core Location: `nil` if unknown.
  public var degreesTrue: Double?
  /// Degrees from magnetic north, 0 to below 360; `nil` if only the true heading is known.
  ///
  /// Corresponds to `CLHeading.magneticHeading`. Differs from Core Location: `nil` for a heading
  /// from two antennas.
  public var degreesMagnetic: Double?
  /// Roll in degrees, -180 to 180, starboard down positive; `nil` if unknown.
  ///
  /// Core Location has no counterpart: its roll and pitch are in Core Motion.
  public var rollDegrees: Double?
  /// Pitch in degrees, -90 to 90, bow up positive; `nil` if unknown.
  public var pitchDegrees: Double?
  /// The error in degrees.
  ///
  /// Corresponds to `CLHeading.headingAccuracy`. Differs from Core Location: currently always
  /// `nil`: HDT, HDM, HDG, THS, HPR, PSTI,036 and gpsd's ATT contain no error, and the errors in
  /// PASHR and UNIHEADINGA are not read.
  public var accuracyDegrees: Double?
  /// The UTC time of the heading, stated by the receiver.
  ///
  /// Corresponds to `CLHeading.timestamp`. Differs from Core Location: `nil` if unknown. The value
  /// is the time of the epoch, because HDT, HDM, HDG, THS and most ATT contain no time.
  public var time: UTCTime?
  /// The name of the receiver.
  public var source: String?
  /// Whether the heading is from a simulator.
  public var isSimulated: Bool
  /// Whether the heading is from a recording.
  public var isReplayed: Bool {
    get { replayedMark ?? false }
    set { replayedMark = newValue ? true : nil }
  }
  /// `nil` instead of false, as in headings that were encoded by earlier versions.
  private var replayedMark: Bool?

  private enum CodingKeys: String, CodingKey {
    case degreesTrue, degreesMagnetic, rollDegrees, pitchDegrees, accuracyDegrees, time, source,
      isSimulated
    case replayedMark = "isReplayed"
  }

  /// Makes a heading.
  public init(
    degreesTrue: Double?, degreesMagnetic: Double? = nil, accuracyDegrees: Double? = nil,
    time: UTCTime? = nil, source: String? = nil, isSimulated: Bool = false,
    isReplayed: Bool = false, rollDegrees: Double? = nil, pitchDegrees: Double? = nil
  ) {
    self.degreesTrue = degreesTrue
    self.degreesMagnetic = degreesMagnetic
    self.accuracyDegrees = accuracyDegrees
    self.time = time
    self.source = source
    self.isSimulated = isSimulated
    self.isReplayed = isReplayed
    self.rollDegrees = rollDegrees
    self.pitchDegrees = pitchDegrees
  }
}

extension Heading {
  /// Makes a heading from a fix, with or without a position; `nil` if the fix has no heading.
  public init?(_ fix: Fix) {
    guard fix.headingDegreesTrue != nil || fix.headingDegreesMagnetic != nil else { return nil }
    self.init(
      degreesTrue: fix.headingDegreesTrue, degreesMagnetic: fix.headingDegreesMagnetic,
      time: fix.time, source: fix.source, isSimulated: fix.isSimulated, isReplayed: fix.isReplayed,
      rollDegrees: fix.rollDegrees, pitchDegrees: fix.pitchDegrees)
  }
}
