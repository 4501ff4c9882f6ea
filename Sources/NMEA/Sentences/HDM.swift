// SPDX-License-Identifier: Apache-2.0

/// HDM: heading from magnetic north.
///
///            1   2
///            |   |
///     $--HDM,x.x,M*hh
///
/// Example:
///
///     $APHDM,218.634,M*39
///
/// <https://gpsd.io/NMEA.html#_hdm_heading_magnetic>
public struct HDM: Equatable, Sendable {
  /// 1: heading of the bow in degrees from magnetic north, 0 to below 360.
  @Known public var headingDegreesMagnetic: Double?

  init(_ fields: inout FieldReader) {
    headingDegreesMagnetic = fields.bearing()
    fields.unit(0x4D)
  }
}
