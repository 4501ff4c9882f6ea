// SPDX-License-Identifier: Apache-2.0

/// VTG: course and speed over ground.
///
///            1   2 3   4 5   6 7   8 9
///            |   | |   | |   | |   | |
///     $--VTG,x.x,T,x.x,M,x.x,N,x.x,K,m*hh
///
/// NMEA 2.3 adds the mode indicator. Example:
///
///     $GPVTG,220.86,T,,M,2.550,N,4.724,K,A*34
///
/// <https://gpsd.io/NMEA.html#_vtg_track_made_good_and_ground_speed>
public struct VTG: Equatable, Sendable {
  /// 1: course over ground in degrees from true north, 0 to below 360.
  @Known public var courseDegreesTrue: Double?
  /// 3: course over ground in degrees from magnetic north, 0 to below 360.
  @Known public var courseDegreesMagnetic: Double?
  /// 5: speed over ground in metres per second, sent in knots.
  @Known public var speedMetersPerSecond: Double?
  /// 7: speed over ground in metres per second, sent in kilometres per hour.
  ///
  /// The value may differ from field 5, because the receiver rounds both fields.
  @Known public var speedFromKilometersMetersPerSecond: Double?
  /// 9: method by which the velocity was obtained.
  public var mode: ModeIndicator?

  init(_ fields: inout FieldReader) {
    courseDegreesTrue = fields.bearing()
    fields.unit(0x54)
    courseDegreesMagnetic = fields.bearing()
    fields.unit(0x4D)
    speedMetersPerSecond = fields.decimal(in: 0...100_000, times: 463, over: 900)
    fields.unit(0x4E)
    speedFromKilometersMetersPerSecond = fields.decimal(in: 0...100_000, times: 5, over: 18)
    fields.unit(0x4B)
    mode = fields.modeIndicator()
  }
}
