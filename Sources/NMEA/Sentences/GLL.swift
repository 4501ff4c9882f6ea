// SPDX-License-Identifier: Apache-2.0

/// GLL: position and time.
///
///            1       2 3        4 5         6 7
///            |       | |        | |         | |
///     $--GLL,ddmm.mm,a,dddmm.mm,a,hhmmss.ss,A,m*hh
///
/// NMEA 1.5 ends with field 4, 2.0 with field 6, 2.3 adds the mode indicator. Example:
///
///     $GNGLL,4404.14012,N,12118.85993,W,001037.00,A,A*67
///
/// <https://gpsd.io/NMEA.html#_gll_geographic_position_latitudelongitude>
public struct GLL: Equatable, Sendable {
  /// 1, 2: latitude in degrees, north positive, -90 to 90.
  @Known public var latitudeDegrees: Double?
  /// 3, 4: longitude in degrees, east positive, -180 to 180.
  @Known public var longitudeDegrees: Double?
  /// 5: UTC time of the position.
  public var time: TimeOfDay?
  /// 6: whether the position is valid; the field does not exist in NMEA 1.5.
  public var status: PositionStatus?
  /// 7: method of positioning.
  public var mode: ModeIndicator?

  init(_ fields: inout FieldReader) {
    latitudeDegrees = fields.latitude()
    longitudeDegrees = fields.longitude()
    time = fields.time()
    status = fields.positionStatus()
    mode = fields.modeIndicator()
  }
}
