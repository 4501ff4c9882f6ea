// SPDX-License-Identifier: Apache-2.0

package import Positioning

/// What a simulated receiver sends for one epoch, and the truth that it measured.
package struct SimulatedEpoch: Equatable, Sendable {
  /// The sentences.
  package var bytes: [UInt8]
  /// Its time; the same in every sentence.
  package var time: UTCTime
  /// Nanoseconds since the first epoch.
  package var nanosecondsSinceStart: Int64
  /// Where the receiver truly is; the sentences say so with noise.
  package var coordinate: Coordinate
  /// Its true height in metres above mean sea level.
  package var altitudeMetersAboveSeaLevel: Double
  /// Its true speed over ground in metres per second.
  package var speedMetersPerSecond: Double
  /// Its true course in degrees, 0 to below 360; `nil` while it stands.
  package var courseDegreesTrue: Double?
  /// Its true vertical speed in metres per second, up positive.
  package var climbMetersPerSecond: Double
  /// How far off the reported position may be in the plane, in metres, at the very most.
  package var horizontalErrorBoundMeters: Double
  /// How far off the reported height may be in metres, at the very most.
  package var verticalErrorBoundMeters: Double
  /// How many satellites are used.
  package var satellitesUsed: Int
  /// How many satellites are in view.
  package var satellitesInView: Int
}
