// SPDX-License-Identifier: Apache-2.0

/// UNIHEADINGA: heading and pitch of a Unicore receiver with two antennas.
///
///     #UNIHEADINGA,header;SOL_COMPUTED,NARROW_INT,x.x,x.x,x.x,x.x,...*xxxxxxxx
///                         |            |          |   |   |
///                         9            10         11  12  13
///
/// This log begins with `#`, has a header of nine fields that ends with `;`, and ends with a CRC of
/// eight digits. Field 9 follows the `;`. Field 11 is the distance of the antennas in metres. Example:
///
///     #UNIHEADINGA,78,GPS,FINE,2428,116060000,0,0,18,11;SOL_COMPUTED,NARROW_INT,1.4773,179.0284,-2.4202,0.0000,0.8259,1.0921,"999",27,21,21,15,3,01,3,f3*5d424350
///
/// Unicore, "Reference Commands Manual for N4 High Precision Products": UNIHEADING.
public struct UNIHEADINGA: Equatable, Sendable {
  /// 9: the first eight bytes of the state of the solution, the last in the lowest byte.
  public var solutionState: UInt64?
  /// 10: the first eight bytes of the type of the solution, the last in the lowest byte.
  public var solutionType: UInt64?
  /// 12: heading from the first antenna to the second in degrees from true north, 0 to below 360.
  @Known public var headingDegreesTrue: Double?
  /// 13: pitch in degrees, -90 to 90.
  @Known public var pitchDegrees: Double?

  /// The first eight bytes of `SOL_COMPUTED`.
  public static let computed: UInt64 = 0x534F_4C5F_434F_4D50

  /// `NONE`.
  public static let none: UInt64 = 0x4E4F_4E45

  init(_ fields: inout FieldReader) {
    fields.endAddress()
    fields.skipHeader()
    solutionState = fields.code()
    solutionType = fields.code()
    fields.skip()
    headingDegreesTrue = fields.bearing()
    pitchDegrees = fields.decimal(in: -90...90)
  }
}
