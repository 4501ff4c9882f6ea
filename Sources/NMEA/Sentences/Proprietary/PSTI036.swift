// SPDX-License-Identifier: Apache-2.0

/// PSTI,036: heading, pitch and roll of a SkyTraq receiver with two antennas.
///
///               2          3      4   5   6   7
///               |          |      |   |   |   |
///     $PSTI,036,hhmmss.sss,ddmmyy,x.x,x.x,x.x,a*hh
///
/// Fields 2 and 3 are the UTC time and date. Example:
///
///     $PSTI,036,003832.000,290322,244.28,2.77,0.00,R*5D
///
/// SkyTraq, "PX1172RH User's Guide": PSTI,036.
public struct PSTI036: Equatable, Sendable {
  /// 4: heading from the first antenna to the second in degrees from true north, 0 to below 360.
  @Known public var headingDegreesTrue: Double?
  /// 5: pitch in degrees, -90 to 90.
  @Known public var pitchDegrees: Double?
  /// 6: roll in degrees, -180 to 180.
  @Known public var rollDegrees: Double?
  /// 7: method by which the heading was obtained.
  public var mode: ModeIndicator?

  init(_ fields: inout FieldReader) {
    fields.skip()
    fields.skip()
    headingDegreesTrue = fields.bearing()
    pitchDegrees = fields.decimal(in: -90...90)
    rollDegrees = fields.decimal(in: -180...180)
    mode = fields.modeIndicator()
  }
}
