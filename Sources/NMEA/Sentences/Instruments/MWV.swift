// SPDX-License-Identifier: Apache-2.0

/// MWV: angle and speed of the wind, relative to the bow.
///
///            1   2 3   4 5
///            |   | |   | |
///     $--MWV,x.x,a,x.x,a,A*hh
///
/// Example:
///
///     $WIMWV,59.0,R,13.0,N,A*2D
///
/// <https://gpsd.io/NMEA.html#_mwv_wind_speed_and_angle>
public struct MWV: Equatable, Sendable {
  /// 1: angle from which the wind blows, in degrees clockwise from the bow, 0 to below 360.
  @Known public var angleDegrees: Double?
  /// 2: `R` for the apparent wind, `T` for the true wind (corrected for the motion of the boat).
  public var reference: UInt8?
  /// 3, 4: speed in metres per second, sent in knots, metres per second or kilometres per hour.
  @Known public var speedMetersPerSecond: Double?
  /// 5: `A` if the values are valid.
  public var status: UInt8?

  init(_ fields: inout FieldReader) {
    angleDegrees = fields.bearing()
    reference = fields.letter()
    speedMetersPerSecond = fields.speed()
    status = fields.letter()
  }
}
