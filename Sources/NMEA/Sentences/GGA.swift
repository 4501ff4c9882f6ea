// SPDX-License-Identifier: Apache-2.0

/// GGA: time, position and quality of the fix.
///
///            1         2       3 4        5 6 7  8   9     10 11   12 13 14
///            |         |       | |        | | |  |   |     |  |    |  |  |
///     $--GGA,hhmmss.ss,ddmm.mm,a,dddmm.mm,a,x,xx,x.x,x.x,M,x.x,M,x.x,xxxx*hh
///
/// The format has not changed since NMEA 2.0. Example:
///
///     $GPGGA,092750.000,5321.6802,N,00630.3372,W,1,8,1.03,61.7,M,55.2,M,,*76
///
/// <https://gpsd.io/NMEA.html#_gga_global_positioning_system_fix_data>
public struct GGA: Equatable, Sendable {
  /// 1: UTC time of the position.
  public var time: TimeOfDay?
  /// 2, 3: latitude in degrees, north positive, -90 to 90.
  @Known public var latitudeDegrees: Double?
  /// 4, 5: longitude in degrees, east positive, -180 to 180.
  @Known public var longitudeDegrees: Double?
  /// 6: method of positioning; some navigation devices leave this field empty.
  public var quality: FixQuality?
  /// 7: number of satellites used.
  ///
  /// Many receivers never send more than 12.
  public var satellitesUsed: UInt32?
  /// 8: horizontal dilution of precision.
  @Known public var horizontalDilution: Double?
  /// 9: height of the antenna in metres above mean sea level.
  @Known public var altitudeMetersAboveSeaLevel: Double?
  /// 11: height in metres of mean sea level (the geoid) above the WGS 84 ellipsoid.
  @Known public var geoidSeparationMeters: Double?
  /// 13: seconds since the last differential correction.
  @Known public var correctionAgeSeconds: Double?
  /// 14: number of the differential reference station, 0 to 4095.
  public var stationNumber: UInt32?

  init(_ fields: inout FieldReader) {
    time = fields.time()
    latitudeDegrees = fields.latitude()
    longitudeDegrees = fields.longitude()
    quality = fields.integer(upTo: 255).map { FixQuality(rawValue: UInt8(truncatingIfNeeded: $0)) }
    satellitesUsed = fields.integer(upTo: 255)
    horizontalDilution = fields.dilution()
    altitudeMetersAboveSeaLevel = fields.decimal()
    fields.unit(0x4D)
    geoidSeparationMeters = fields.decimal()
    fields.unit(0x4D)
    correctionAgeSeconds = fields.decimal()
    stationNumber = fields.integer(upTo: 9999)
  }
}
