// SPDX-License-Identifier: Apache-2.0

package import Positioning

/// The sentences of a simulated receiver for one epoch, with the true values.
package struct SimulatedEpoch: Equatable, Sendable {
  /// The sentences.
  package var bytes: [UInt8]
  /// The UTC time, the same in every sentence.
  package var time: UTCTime
  /// Nanoseconds since the first epoch.
  package var nanosecondsSinceStart: Int64
  /// The true position; the sentences contain the position with noise.
  package var coordinate: Coordinate
  /// The true height in metres above mean sea level.
  package var altitudeMetersAboveSeaLevel: Double
  /// The true speed over ground in metres per second.
  package var speedMetersPerSecond: Double
  /// The true course in degrees, 0 to below 360; `nil` while standing.
  package var courseDegreesTrue: Double?
  /// The true vertical speed in metres per second, up positive.
  package var climbMetersPerSecond: Double
  /// The maximum horizontal error of the reported position in metres.
  package var horizontalErrorBoundMeters: Double
  /// The maximum error of the reported height in metres.
  package var verticalErrorBoundMeters: Double
  /// The number of satellites used.
  package var satellitesUsed: Int
  /// The number of satellites in view.
  package var satellitesInView: Int
}
