// SPDX-License-Identifier: Apache-2.0

/// DTM: the datum of the positions, and how far it is from the reference datum.
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
  /// 1: the local datum, three letters, the last in the lowest byte: `W84`, `W72`, `S85`, `P90`,
  /// `999` for one that the user defined.
  public var localDatum: UInt64?
  /// 2: its subdivision.
  public var subdivision: UInt64?
  /// 3, 4: offset of the latitude in minutes of arc, north positive.
  @Known public var latitudeOffsetMinutes: Double?
  /// 5, 6: offset of the longitude in minutes of arc, east positive.
  @Known public var longitudeOffsetMinutes: Double?
  /// 7: offset of the altitude in metres.
  @Known public var altitudeOffsetMeters: Double?
  /// 8: the reference datum.
  public var referenceDatum: UInt64?

  /// `W84`, the only datum in which positions are taken as they are.
  public static let wgs84: UInt64 = 0x573834

  /// `WGS84`, as some receivers spell it out.
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
