// SPDX-License-Identifier: Apache-2.0

/// Where the bow points, by a compass: not where the board moves to.
///
/// Only receivers with a compass or with two antennas know it. The course over ground in
/// `Location.courseDegreesTrue` is something else and never stands in for it.
///
/// Core Location's `CLHeading` also has the field's strength along three axes. Differs in that it
/// has none, since no receiver states it, and in that unknown is `nil`, not negative.
public struct Heading: Equatable, Hashable, Codable, Sendable {
  /// Degrees from true north, 0 to below 360; `nil` where only the magnetic heading is known.
  ///
  /// Core Location's `trueHeading`, which is negative where it cannot be told. Differs in that
  /// unknown is `nil`.
  public var degreesTrue: Double?
  /// Degrees from magnetic north, 0 to below 360; `nil` where only the true heading is known.
  ///
  /// Core Location's `magneticHeading`, which is always there. Differs in that it may be `nil`: two
  /// antennas know no magnetic north.
  public var degreesMagnetic: Double?
  /// How far off it may be, in degrees.
  ///
  /// Core Location's `headingAccuracy`, which is negative where the heading is invalid. Differs in
  /// that it is always `nil` for now, since HDT, HDM, HDG and THS do not say.
  public var accuracyDegrees: Double?
  /// When it was true, by the receiver.
  ///
  /// Core Location's `timestamp`, which is always there. Differs in that it is `nil` where the
  /// receiver does not say: none of the four sentences carries a time, so it is that of the epoch
  /// they came with.
  public var time: UTCTime?
  /// The receiver it comes from.
  public var source: String?
  /// Whether it comes from a simulator.
  public var isSimulated: Bool

  /// Makes a heading.
  ///
  /// - Parameters:
  ///   - degreesTrue: From true north.
  ///   - degreesMagnetic: From magnetic north.
  ///   - accuracyDegrees: How far off it may be.
  ///   - time: When it was true.
  ///   - source: The receiver it comes from.
  ///   - isSimulated: Whether it comes from a simulator.
  public init(
    degreesTrue: Double?, degreesMagnetic: Double? = nil, accuracyDegrees: Double? = nil,
    time: UTCTime? = nil, source: String? = nil, isSimulated: Bool = false
  ) {
    self.degreesTrue = degreesTrue
    self.degreesMagnetic = degreesMagnetic
    self.accuracyDegrees = accuracyDegrees
    self.time = time
    self.source = source
    self.isSimulated = isSimulated
  }
}

extension Heading {
  /// Makes a heading out of a fix; `nil` where the fix has none.
  ///
  /// - Parameter fix: The fix, with or without a position.
  public init?(_ fix: Fix) {
    guard fix.headingDegreesTrue != nil || fix.headingDegreesMagnetic != nil else { return nil }
    self.init(
      degreesTrue: fix.headingDegreesTrue, degreesMagnetic: fix.headingDegreesMagnetic,
      time: fix.time, source: fix.source, isSimulated: fix.isSimulated)
  }
}
