// SPDX-License-Identifier: Apache-2.0

/// DTM: the datum of the positions, and its offset from the reference datum.
///
///            1   2 3   4 5   6 7   8
///            |   | |   | |   | |   |
///     $--DTM,ccc,a,x.x,a,x.x,a,x.x,ccc*hh
///
/// Example:
///
///     $GPDTM,W84,,0.0,N,0.0,E,0.0,W84*6F
///
/// <https://gpsd.io/NMEA.html#_dtm_datum_reference>
public struct DTM: Equatable, Sendable {
  /// 1: local datum as three characters, the last in the lowest byte: `W84`, `W72`, `S85`, `P90`,
  /// or `999` for a user-defined datum.
  public var localDatum: UInt64?
  /// 2: subdivision of the local datum.
  public var subdivision: UInt64?
  /// 3, 4: offset of the latitude in minutes of arc, north positive.
  @Known public var latitudeOffsetMinutes: Double?
  /// 5, 6: offset of the longitude in minutes of arc, east positive.
  @Known public var longitudeOffsetMinutes: Double?
  /// 7: offset of the altitude in metres.
  @Known public var altitudeOffsetMeters: Double?
  /// 8: reference datum.
  public var referenceDatum: UInt64?

  /// `W84`, the datum WGS 84.
  public static let wgs84: UInt64 = 0x573834

  /// `WGS84`, the spelling of WGS 84 by some receivers.
  public static let wgs84SpeltOut: UInt64 = 0x57_4753_3834

  /// `P90`, PZ-90 of GLONASS, which has followed WGS 84 within decimetres since 2007.
  public static let pz90: UInt64 = 0x503930

  init(_ fields: inout FieldReader) {
    localDatum = fields.code()
    subdivision = fields.code()
    latitudeOffsetMinutes = fields.signedDecimal(negative: 0x53)
    longitudeOffsetMinutes = fields.signedDecimal(negative: 0x57)
    altitudeOffsetMeters = fields.decimal()
    referenceDatum = fields.code()
  }
}
