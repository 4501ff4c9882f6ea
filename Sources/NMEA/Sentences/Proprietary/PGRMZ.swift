// SPDX-License-Identifier: Apache-2.0

/// PGRMZ: altitude from a Garmin receiver, in whole feet.
///
///            1 2 3
///            | | |
///     $PGRMZ,x,f,x*hh
///
/// Example:
///
///     $PGRMZ,2282,f,3*21
///
/// <https://gpsd.io/NMEA.html#_pgrmz_garmin_altitude>
public struct PGRMZ: Equatable, Sendable {
  /// 1: height in metres above mean sea level, sent in feet.
  @Known public var altitudeMetersAboveSeaLevel: Double?
  /// 3: 1 no fix, 2 two-dimensional (the user entered the altitude), 3 three-dimensional.
  public var mode: UInt32?

  init(_ fields: inout FieldReader) {
    altitudeMetersAboveSeaLevel = fields.decimal(times: 381, over: 1250)
    fields.unit(0x66)
    mode = fields.integer(upTo: 3)
  }
}
