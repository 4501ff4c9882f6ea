// SPDX-License-Identifier: Apache-2.0

/// HDG: compass heading, deviation and variation.
///
///            1   2   3 4   5
///            |   |   | |   |
///     $--HDG,x.x,x.x,a,x.x,a*hh
///
/// Example:
///
///     $SDHDG,229.8,,,1.3,E*36
///
/// <https://gpsd.io/NMEA.html#_hdg_heading_deviation_variation>
public struct HDG: Equatable, Sendable {
  /// 1: uncorrected heading of the sensor in degrees, 0 to below 360.
  @Known public var sensorHeadingDegrees: Double?
  /// 2, 3: deviation in degrees, east positive; add the deviation to get magnetic heading.
  @Known public var deviationDegrees: Double?
  /// 4, 5: variation in degrees, east positive; add the variation to get true heading.
  @Known public var variationDegrees: Double?

  init(_ fields: inout FieldReader) {
    sensorHeadingDegrees = fields.bearing()
    deviationDegrees = fields.deviation()
    variationDegrees = fields.deviation()
  }
}
