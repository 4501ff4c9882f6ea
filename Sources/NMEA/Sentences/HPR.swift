// SPDX-License-Identifier: Apache-2.0

/// HPR: heading, pitch and roll of a Unicore receiver with two antennas.
///
///            1         2   3   4   5 6  7   8
///            |         |   |   |   | |  |   |
///     $--HPR,hhmmss.ss,x.x,x.x,x.x,x,xx,x.x,xxxx*hh
///
/// Field 1 is the UTC time, 6 the number of satellites, 7 the age of the correction, 8 the number of
/// the reference station. Example:
///
///     $GNHPR,081212.00,341.48,-00.64,000.00,4,46,0.00,0999*4F
///
/// Unicore, "Reference Commands Manual for N4 High Precision Products": GPHPR.
public struct HPR: Equatable, Sendable {
  /// 2: heading from the first antenna to the second in degrees from true north, 0 to below 360.
  @Known public var headingDegreesTrue: Double?
  /// 3: pitch in degrees, -90 to 90.
  @Known public var pitchDegrees: Double?
  /// 4: roll in degrees, -180 to 180.
  @Known public var rollDegrees: Double?
  /// 5: quality of the heading, with the numbers of GGA field 6.
  public var quality: FixQuality?

  init(_ fields: inout FieldReader) {
    fields.skip()
    headingDegreesTrue = fields.bearing()
    pitchDegrees = fields.decimal(in: -90...90)
    rollDegrees = fields.decimal(in: -180...180)
    quality = fields.integer(upTo: 255).map { FixQuality(rawValue: UInt8(truncatingIfNeeded: $0)) }
  }
}
