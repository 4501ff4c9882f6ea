// SPDX-License-Identifier: Apache-2.0

/// THS: heading from true north, and its status.
///
///            1   2
///            |   |
///     $--THS,x.x,a*hh
///
/// Example:
///
///     $GNTHS,244.28,A*11
///
/// <https://gpsd.io/NMEA.html#_ths_true_heading_and_status>
public struct THS: Equatable, Sendable {
  /// 1: heading of the bow in degrees from true north, 0 to below 360.
  @Known public var headingDegreesTrue: Double?
  /// 2: `A` autonomous, `E` estimated, `M` manual, `S` simulated, `V` not valid.
  public var status: UInt8?

  init(_ fields: inout FieldReader) {
    headingDegreesTrue = fields.bearing()
    status = fields.letter()
  }
}
