// SPDX-License-Identifier: Apache-2.0

/// MWD: direction and speed of the wind over ground.
///
///            1   2 3   4 5   6 7   8
///            |   | |   | |   | |   |
///     $--MWD,x.x,T,x.x,M,x.x,N,x.x,M*hh
///
/// Example:
///
///     $WIMWD,326.6,T,325.2,M,11.4,N,5.9,M*65
///
/// <https://gpsd.io/NMEA.html#_mwd_wind_direction_speed>
public struct MWD: Equatable, Sendable {
  /// 1: direction from which the wind blows, in degrees from true north, 0 to below 360.
  @Known public var directionDegreesTrue: Double?
  /// 3: direction from which the wind blows, in degrees from magnetic north, 0 to below 360.
  @Known public var directionDegreesMagnetic: Double?
  /// 5: speed in metres per second, sent in knots.
  @Known public var speedMetersPerSecond: Double?
  /// 7: speed in metres per second as sent, often with fewer digits than field 5.
  @Known public var speedFromMetersMetersPerSecond: Double?

  init(_ fields: inout FieldReader) {
    directionDegreesTrue = fields.bearing()
    fields.unit(0x54)
    directionDegreesMagnetic = fields.bearing()
    fields.unit(0x4D)
    speedMetersPerSecond = fields.decimal(in: 0...100_000, times: 463, over: 900)
    fields.unit(0x4E)
    speedFromMetersMetersPerSecond = fields.decimal(in: 0...100_000)
    fields.unit(0x4D)
  }
}
