// SPDX-License-Identifier: Apache-2.0

/// ZDA: time and date.
///
///            1         2  3  4    5  6
///            |         |  |  |    |  |
///     $--ZDA,hhmmss.ss,xx,xx,xxxx,xx,xx*hh
///
/// Example:
///
///     $GPZDA,160012.71,11,03,2004,-1,00*7D
///
/// <https://gpsd.io/NMEA.html#_zda_time_date_utc_day_month_year_and_local_time_zone>
public struct ZDA: Equatable, Sendable {
  /// 1: UTC time.
  public var time: TimeOfDay?
  /// 2, 3, 4: UTC date.
  ///
  /// `nil` for years outside 1980 to 2200; a year of two digits is expanded as in RMC.
  public var date: CalendarDate?
  /// 5: hours of the local zone, -13 to 13.
  public var zoneHours: Int32?
  /// 6: minutes of the local zone, -59 to 59.
  public var zoneMinutes: Int32?

  init(_ fields: inout FieldReader) {
    time = fields.time()
    let day = fields.integer(upTo: 31)
    let month = fields.integer(upTo: 12)
    let year = fields.year(in: 1980...2200)
    if let day, let month, let year, day > 0, month > 0 {
      date = CalendarDate(
        year: year, month: UInt8(truncatingIfNeeded: month), day: UInt8(truncatingIfNeeded: day))
    }
    zoneHours = fields.signedInteger(in: -13...13)
    zoneMinutes = fields.signedInteger(in: -59...59)
  }
}
