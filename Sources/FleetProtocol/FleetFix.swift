// SPDX-License-Identifier: Apache-2.0

package import Positioning

/// A fix in the integers of the wire; unknown values are `nil`.
package struct FleetFix: Equatable, Sendable {
  /// The Unix times that the wire format allows, in milliseconds.
  package static let times = FleetColumns.times

  /// Unix time in milliseconds, from the receiver; `nil` if the receiver has no date.
  package var timeMilliseconds: Int64?
  /// `CLOCK_BOOTTIME` of the board in milliseconds; sent if a time in the batch is unknown.
  package var bootMilliseconds: Int64?
  /// Latitude in 1e-7 degrees.
  package var latitudeE7: Int64
  /// Longitude in 1e-7 degrees.
  package var longitudeE7: Int64
  /// Height above mean sea level in decimetres.
  package var altitudeDecimeters: Int64?
  /// Speed over ground in centimetres per second.
  package var speedCentimetersPerSecond: Int64?
  /// Course over ground from true north in tenths of a degree.
  package var courseTenthsOfDegree: Int64?
  /// Horizontal error radius in decimetres at 95 % confidence, as `eph` of gpsd.
  package var errorDecimeters: Int64?
  /// 2 or 3 dimensions.
  package var mode: Int64?
  /// The number of satellites used.
  package var satellites: Int64?

  /// Creates a fix without a time and with a position only; `nil` if the position is out of range.
  package init?(latitudeE7: Int64, longitudeE7: Int64) {
    guard FleetColumns.latitudes.contains(latitudeE7),
      FleetColumns.longitudes.contains(longitudeE7)
    else { return nil }
    (self.latitudeE7, self.longitudeE7) = (latitudeE7, longitudeE7)
  }

  /// Converts a location.
  ///
  /// - Parameters:
  ///   - location: The location.
  ///   - bootMilliseconds: `CLOCK_BOOTTIME` of the board at the arrival of the location.
  package init(_ location: Location, bootMilliseconds: Int64?) {
    func scaled(_ value: Double?, _ factor: Double, _ range: ClosedRange<Int64>) -> Int64? {
      value.flatMap { Int64(exactly: ($0 * factor).rounded()) }.flatMap {
        range.contains($0) ? $0 : nil
      }
    }
    // A coordinate is always in the range.
    latitudeE7 = Int64((location.coordinate.latitudeDegrees * 1e7).rounded())
    longitudeE7 = Int64((location.coordinate.longitudeDegrees * 1e7).rounded())
    timeMilliseconds = location.time.flatMap { time in
      let (seconds, overflow) = time.secondsSince1970.multipliedReportingOverflow(by: 1000)
      let isValid = !overflow && FleetColumns.times.contains(seconds)
      return isValid ? seconds + Int64(time.nanosecond / 1_000_000) : nil
    }
    self.bootMilliseconds = bootMilliseconds.flatMap {
      FleetColumns.bootTimes.contains($0) ? $0 : nil
    }
    altitudeDecimeters = scaled(
      location.altitudeMetersAboveSeaLevel, 10, FleetColumns.altitudes)
    speedCentimetersPerSecond = scaled(location.speedMetersPerSecond, 100, FleetColumns.speeds)
    // 359.96 degrees are rounded to 0.
    courseTenthsOfDegree = scaled(location.courseDegreesTrue, 10, 0...3600).map { $0 % 3600 }
    errorDecimeters = scaled(
      location.horizontalAccuracy?.horizontalMeters(atConfidencePercent: 95), 10,
      FleetColumns.errors)
    mode = location.mode > .none ? Int64(location.mode.rawValue) : nil
    satellites = location.satellitesUsed.map(Int64.init).flatMap {
      FleetColumns.satelliteCounts.contains($0) ? $0 : nil
    }
  }

  /// The coordinate; `nil` if the fix was changed to a position outside the range.
  package var coordinate: Coordinate? {
    Coordinate(
      latitudeDegrees: Double(latitudeE7) / 1e7, longitudeDegrees: Double(longitudeE7) / 1e7)
  }
}
