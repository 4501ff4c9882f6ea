// SPDX-License-Identifier: Apache-2.0

/// HDT: heading from true north.
///
///            1   2
///            |   |
///     $--HDT,x.x,T*hh
///
/// Example:
///
///     $HEHDT,341.8,T*21
///
/// <https://gpsd.io/NMEA.html#_hdt_heading_true>
public struct HDT: Equatable, Sendable {
  /// 1: heading of the bow in degrees from true north, 0 to below 360.
  @Known public var headingDegreesTrue: Double?

  init(_ fields: inout FieldReader) {
    headingDegreesTrue = fields.bearing()
    fields.unit(0x54)
  }
}
