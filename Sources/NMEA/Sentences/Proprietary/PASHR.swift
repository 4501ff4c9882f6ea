// SPDX-License-Identifier: Apache-2.0

/// PASHR: attitude from an inertial system or several antennas.
///
///            1          2   3 4   5   6   7   8   9   10 11
///            |          |   | |   |   |   |   |   |   |  |
///     $PASHR,hhmmss.sss,x.x,T,x.x,x.x,x.x,x.x,x.x,x.x,x, x*hh
///
/// Field 1 is the UTC time, 6 the heave in metres, 7 to 9 the errors of roll, pitch and heading in
/// degrees. Sent by Trimble, NovAtel, Septentrio, SBG and OxTS. Ashtech sends other sentences of this
/// name, with letters in field 1; they are not read. Example:
///
///     $PASHR,085335.000,224.19,T,-01.26,+00.83,+00.00,0.101,0.113,0.267,1,0*06
///
/// <https://gpsd.io/NMEA.html#_pashr_rt300_proprietary_roll_and_pitch_sentence>; NovAtel, "OEM7
/// Commands and Logs Reference Manual": PASHR.
public struct PASHR: Equatable, Sendable {
  /// 2: heading of the bow in degrees from true north, 0 to below 360.
  @Known public var headingDegreesTrue: Double?
  /// 4: roll in degrees, -180 to 180.
  @Known public var rollDegrees: Double?
  /// 5: pitch in degrees, -90 to 90.
  @Known public var pitchDegrees: Double?
  /// 10: quality of the position: 0 none, 1 without and 2 with fixed ambiguities.
  public var quality: UInt32?
  /// 11: state of the inertial system: 0 not aligned or missing, 1 aligned.
  public var inertialState: UInt32?

  init(_ fields: inout FieldReader) {
    fields.skip()
    headingDegreesTrue = fields.bearing()
    fields.unit(0x54)
    rollDegrees = fields.decimal(in: -180...180)
    pitchDegrees = fields.decimal(in: -90...90)
    for _ in 6...9 { fields.skip() }
    quality = fields.integer(upTo: 9)
    inertialState = fields.integer(upTo: 9)
  }
}
