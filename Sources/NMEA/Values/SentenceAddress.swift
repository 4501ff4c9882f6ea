// SPDX-License-Identifier: Apache-2.0

/// The text between `$` and the first comma: talker and formatter, or a proprietary name.
public struct SentenceAddress: Equatable, Hashable, Sendable, CustomStringConvertible {
  /// The first eight bytes of the address, the last byte in the lowest bits.
  ///
  /// Lines of fewer than nine bytes are too short for a field and have no address.
  public let rawValue: UInt64

  /// The number of bytes in ``rawValue``, 0 to 8.
  public let count: UInt8

  /// Whether the line began with `!`: an encapsulation sentence, such as AIS.
  public let isEncapsulation: Bool

  /// Reads the address of a line whose fields end at `end`; `nil` if the address is empty.
  @inline(__always)
  init?(_ line: Span<UInt8>, end: Int) {
    guard line.count >= 9 else { return nil }
    isEncapsulation = line[0] == ASCII.exclamationMark
    let word = UInt64(
      littleEndian: line.bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: 1, as: UInt64.self))
    // Sets the high bit of each comma; borrows propagate upwards, so the lowest mark is exact.
    let commas = word ^ 0x2C2C_2C2C_2C2C_2C2C
    let marks = (commas &- 0x0101_0101_0101_0101) & ~commas & 0x8080_8080_8080_8080
    let length = min(marks.trailingZeroBitCount &>> 3, end &- 1)
    guard length > 0 else { return nil }
    count = UInt8(truncatingIfNeeded: length)
    rawValue = word.byteSwapped &>> (UInt64(8 &- length) &* 8)
  }

  /// The offset of the first field, if a comma follows the address.
  var end: Int { Int(count) &+ 2 }

  /// The talker; for a proprietary sentence, `P` and the first letter of the manufacturer code.
  public var talker: Talker {
    guard count >= 2 else { return Talker(0, 0) }
    let first = rawValue &>> (UInt64(count) &* 8 &- 8)
    let second = rawValue &>> (UInt64(count) &* 8 &- 16)
    return Talker(UInt8(truncatingIfNeeded: first), UInt8(truncatingIfNeeded: second))
  }

  /// Whether the address begins with `P`, as in sentences defined by a manufacturer.
  ///
  /// This is also true for `PQ`, which Quectel uses as the talker of GSV and GSA.
  public var isProprietary: Bool {
    count > 0 && UInt8(truncatingIfNeeded: rawValue &>> (UInt64(count) &* 8 &- 8)) == 0x50
  }

  /// The three letters after the talker, or 0 if the address is not five bytes long.
  @inline(__always)
  var formatter: UInt32 {
    count == 5 ? UInt32(truncatingIfNeeded: rawValue & 0xFF_FFFF) : 0
  }

  /// The address as text, with `?` for unprintable bytes.
  public var description: String { PrintableASCII.string(rawValue, count: Int(count)) }
}
