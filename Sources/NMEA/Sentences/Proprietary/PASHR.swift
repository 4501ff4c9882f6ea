// SPDX-License-Identifier: Apache-2.0

/// PASHR: attitude from an inertial system or several antennas.
///
///            1          2   3 4   5   6   7   8   9   10 11
///            |          |   | |   |   |   |   |   |   |  |
///     $PASHR,hhmmss.sss,x.x,T,x.x,x.x,x.x,x.x,x.x,x.x,x, x*hh
///     $PASHR,ATT,x.x,x.x,x.x,x.x,x.x,x.x,x*hh
///     $PASHR,HPR,hhmmss.ss,x.x,x.x,x.x,x.x,x.x,x,...*hh
///            |   |         |   |   |   |   |   |
///            1   2         3   4   5   6   7   8
///
/// In the form with a time in field 1, field 6 is the heave in metres, and 7 to 9 are the errors of
/// roll, pitch and heading in degrees. Trimble, NovAtel, Septentrio, SBG and OxTS send this form.
///
/// In the forms with a name in field 1, field 2 is the time, 6 and 7 are errors in metres, and
/// further fields follow. Ashtech, Spectra and Trimble send `ATT`, `AT2` and `HPR`. A receiver with
/// two antennas leaves pitch or roll empty. Other names, such as `POS`, are not read. Examples:
///
///     $PASHR,085335.000,224.19,T,-01.26,+00.83,+00.00,0.101,0.113,0.267,1,0*06
///     $PASHR,ATT,310080.0,248.57,+04.22,,0.0027,0.0000,0*2B
///
/// <https://gpsd.io/NMEA.html#_pashr_rt300_proprietary_roll_and_pitch_sentence>; NovAtel, "OEM7
/// Commands and Logs Reference Manual": PASHR; Spectra, "ProFlex 800 Reference Manual": ATT, and
/// "SP90m User Guide": HPR.
public struct PASHR: Equatable, Sendable {
  /// 2, or 3 after a name: heading of the bow in degrees from true north, 0 to below 360.
  @Known public var headingDegreesTrue: Double?
  /// 4, or 5 after a name: roll in degrees, -180 to 180.
  @Known public var rollDegrees: Double?
  /// 5, or 4 after a name: pitch in degrees, -90 to 90.
  @Known public var pitchDegrees: Double?
  /// 10: quality of the position: 0 none, 1 without and 2 with fixed ambiguities.
  public var quality: UInt32?
  /// 11: state of the inertial system: 0 not aligned or missing, 1 aligned.
  public var inertialState: UInt32?
  /// 8 after a name: state of the ambiguities: 0 fixed; above 0 floating, or acquired again.
  public var ambiguityState: UInt32?

  /// Reads the fields of the form with a time, or after a name in field 1; `nil` for other names.
  init?(_ fields: inout FieldReader) {
    if fields.isNumberNext {
      fields.skip()
      headingDegreesTrue = fields.bearing()
      fields.unit(0x54)
      rollDegrees = fields.decimal(in: -180...180)
      pitchDegrees = fields.decimal(in: -90...90)
      for _ in 6...9 { fields.skip() }
      quality = fields.integer(upTo: 9)
      inertialState = fields.integer(upTo: 9)
    } else {
      guard let name = fields.code(), Self.names.contains(name) else { return nil }
      fields.skip()
      headingDegreesTrue = fields.bearing()
      pitchDegrees = fields.decimal(in: -90...90)
      rollDegrees = fields.decimal(in: -180...180)
      for _ in 6...7 { fields.skip() }
      ambiguityState = fields.integer(upTo: 9999)
    }
  }

  /// `ATT`, `AT2` and `HPR`.
  private static let names: [UInt64] = [0x41_5454, 0x41_5432, 0x48_5052]
}
