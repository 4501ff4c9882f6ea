// SPDX-License-Identifier: Apache-2.0

/// What stands between `$` and the first comma: talker and formatter, or a maker's own name.
public struct SentenceAddress: Equatable, Hashable, Sendable, CustomStringConvertible {
  /// Up to eight bytes, the last in the lowest byte; longer addresses keep their first eight.
  ///
  /// A line of fewer than nine bytes has no address: it can hold no field.
  public let rawValue: UInt64

  /// How many bytes ``rawValue`` holds, 0 to 8.
  public let count: UInt8

  /// Whether the line began with `!`: a sentence that encapsulates, such as AIS.
  public let isEncapsulation: Bool

  /// Reads the address of a line whose fields end at `end`; `nil` where it is empty.
  @inline(__always)
  init?(_ line: Span<UInt8>, end: Int) {
    guard line.count >= 9 else { return nil }
    isEncapsulation = line[0] == ASCII.exclamationMark
    let word = UInt64(
      littleEndian: line.bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: 1, as: UInt64.self))
    // Marks the commas in the high bits; borrows run upwards, so the lowest mark is exact.
    let commas = word ^ 0x2C2C_2C2C_2C2C_2C2C
    let marks = (commas &- 0x0101_0101_0101_0101) & ~commas & 0x8080_8080_8080_8080
    let length = min(marks.trailingZeroBitCount &>> 3, end &- 1)
    guard length > 0 else { return nil }
    count = UInt8(truncatingIfNeeded: length)
    rawValue = word.byteSwapped &>> (UInt64(8 &- length) &* 8)
  }

  /// Where the first field starts, if the address is followed by a comma.
  var end: Int { Int(count) &+ 2 }

  /// The talker; of a proprietary sentence, `P` and the maker's first letter.
  public var talker: Talker {
    guard count >= 2 else { return Talker(0, 0) }
    let first = rawValue &>> (UInt64(count) &* 8 &- 8)
    let second = rawValue &>> (UInt64(count) &* 8 &- 16)
    return Talker(UInt8(truncatingIfNeeded: first), UInt8(truncatingIfNeeded: second))
  }

  /// Whether a maker defined it: the address begins with `P`.
  ///
  /// `PQ` is also the talker under which Quectel sends GSV and GSA.
  public var isProprietary: Bool {
    count > 0 && UInt8(truncatingIfNeeded: rawValue &>> (UInt64(count) &* 8 &- 8)) == 0x50
  }

  /// The three letters behind a talker, or 0 where the address is not five bytes long.
  @inline(__always)
  var formatter: UInt32 {
    count == 5 ? UInt32(truncatingIfNeeded: rawValue & 0xFF_FFFF) : 0
  }

  /// The address as text; `?` stands for what is not printable.
  public var description: String { PrintableASCII.string(rawValue, count: Int(count)) }
}
