// SPDX-License-Identifier: Apache-2.0

/// RMC: recommended minimum: time, date, position, course and speed.
///
///            1         2 3       4 5        6 7   8   9      10  11 12 13
///            |         | |       | |        | |   |   |      |   |  |  |
///     $--RMC,hhmmss.ss,A,ddmm.mm,a,dddmm.mm,a,x.x,x.x,ddmmyy,x.x,a,m,s*hh
///
/// NMEA 2.0 ends with field 11, 2.3 adds the mode indicator, 4.1 the navigational status. Some
/// receivers write the year with four digits. Example:
///
///     $GNRMC,001031.00,A,4404.13993,N,12118.86023,W,0.146,,100117,,,A*7B
///
/// <https://gpsd.io/NMEA.html#_rmc_recommended_minimum_navigation_information>
public struct RMC: Equatable, Sendable {
  /// 1: UTC time of the position.
  public var time: TimeOfDay?
  /// 2: whether the position is valid.
  public var status: PositionStatus?
  /// 3, 4: latitude in degrees, north positive, -90 to 90.
  @Known public var latitudeDegrees: Double?
  /// 5, 6: longitude in degrees, east positive, -180 to 180.
  @Known public var longitudeDegrees: Double?
  /// 7: speed over ground in metres per second, sent in knots.
  @Known public var speedMetersPerSecond: Double?
  /// 8: course over ground in degrees from true north, 0 to below 360.
  ///
  /// Many receivers leave this field empty while standing still; `nil` means unknown, not north.
  @Known public var courseDegreesTrue: Double?
  /// 9: UTC date.
  public var date: CalendarDate?
  /// 10, 11: magnetic variation in degrees, east positive.
  ///
  /// Receivers without a magnetic model send 0.0.
  @Known public var magneticVariationDegrees: Double?
  /// 12: method of positioning.
  public var mode: ModeIndicator?
  /// 13: navigational status, `S` safe, `C` caution, `U` unsafe, `V` not valid.
  public var navigationalStatus: UInt8?

  init(_ fields: inout FieldReader) {
    time = fields.time()
    status = fields.positionStatus()
    latitudeDegrees = fields.latitude()
    longitudeDegrees = fields.longitude()
    speedMetersPerSecond = fields.decimal(in: 0...100_000, times: 463, over: 900)
    courseDegreesTrue = fields.bearing()
    date = fields.date()
    magneticVariationDegrees = fields.deviation()
    mode = fields.modeIndicator()
    navigationalStatus = fields.letter()
  }
}
