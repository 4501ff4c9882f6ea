// SPDX-License-Identifier: Apache-2.0

/// PSRFEPE: position errors estimated by a SiRF receiver.
///
///              1         2 3   4   5   6   7
///              |         | |   |   |   |   |
///     $PSRFEPE,hhmmss.ss,A,x.x,x.x,x.x,x.x,x.x*hh
///
/// Example:
///
///     $PSRFEPE,100542.000,A,0.7,6.82,10.69,0.0,180.0*24
///
/// <https://gpsd.io/NMEA.html>; SiRF does not state the confidence.
public struct PSRFEPE: Equatable, Sendable {
  /// 1: UTC time of the position.
  public var time: TimeOfDay?
  /// 2: `A`, data valid.
  public var isValid: Bool
  /// 3: horizontal dilution of precision.
  @Known public var horizontalDilution: Double?
  /// 4: horizontal position error in metres.
  @Known public var horizontalErrorMeters: Double?
  /// 5: vertical position error in metres.
  @Known public var verticalErrorMeters: Double?
  /// 6: error of the speed over ground in metres per second.
  @Known public var speedErrorMetersPerSecond: Double?
  /// 7: error of the course in degrees; 180 if the course is unknown.
  @Known public var courseErrorDegrees: Double?

  init(_ fields: inout FieldReader) {
    time = fields.time()
    isValid = fields.letter() == 0x41
    horizontalDilution = fields.dilution()
    horizontalErrorMeters = fields.decimal()
    verticalErrorMeters = fields.decimal()
    speedErrorMetersPerSecond = fields.decimal()
    courseErrorDegrees = fields.decimal(in: 0...180)
  }
}
