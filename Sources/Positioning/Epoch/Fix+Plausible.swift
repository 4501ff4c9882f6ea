// SPDX-License-Identifier: Apache-2.0

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
