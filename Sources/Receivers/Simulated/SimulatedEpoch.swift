// SPDX-License-Identifier: Apache-2.0

public import Positioning

/// What a simulated receiver sends for one epoch, and the truth that it measured.
public struct SimulatedEpoch: Equatable, Sendable {
  /// The sentences.
  public var bytes: [UInt8]
  /// Its time; the same in every sentence.
  public var time: UTCTime
  /// Nanoseconds since the first epoch.
  public var nanosecondsSinceStart: Int64
  /// Where the receiver truly is; the sentences say so with noise.
  public var coordinate: Coordinate
  /// Its true height in metres above mean sea level.
  public var altitudeMetersAboveSeaLevel: Double
  /// Its true speed over ground in metres per second.
  public var speedMetersPerSecond: Double
  /// Its true course in degrees, 0 to below 360; `nil` while it stands.
  public var courseDegreesTrue: Double?
  /// Its true vertical speed in metres per second, up positive.
  public var climbMetersPerSecond: Double
  /// How far off the reported position may be in the plane, in metres, at the very most.
  public var horizontalErrorBoundMeters: Double
  /// How far off the reported height may be in metres, at the very most.
  public var verticalErrorBoundMeters: Double
  /// How many satellites are used.
  public var satellitesUsed: Int
  /// How many satellites are in view.
  public var satellitesInView: Int
}
