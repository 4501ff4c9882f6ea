// SPDX-License-Identifier: Apache-2.0

/// Looks for the end of a line and folds its checksum in the same pass, eight bytes at a time.
enum LineScanner {
  struct Stop {
    /// Where the first control character or `$` stands, or the count where there is none.
    var position: Int
    /// The exclusive or of all bytes before ``position``.
    var exclusiveOr: UInt8
  }

  private static let ones: UInt64 = 0x0101_0101_0101_0101
  private static let highBits: UInt64 = 0x8080_8080_8080_8080

  /// Marks the high bit of the bytes below 0x20 and of those equal to `$`.
  ///
  /// Borrows run upwards only, so the lowest mark is exact; the rest may not be. (S. Anderson,
  /// "Bit Twiddling Hacks", `hasless` and `haszero`.)
  @inline(__always)
  private static func marks(_ word: UInt64) -> UInt64 {
    let control = (word &- ones &* 0x20) & ~word
    let dollar = word ^ (ones &* UInt64(ASCII.dollar))
    return (control | ((dollar &- ones) & ~dollar)) & highBits
  }

  /// Whether a byte is below 0x25, and so perhaps marked by ``marks(_:)``.
  ///
  /// Half the work of the exact marks; of the bytes that it takes in besides, space and `!"#` are
  /// rare within a sentence.
  @inline(__always)
  private static func mayHaveMarks(_ word: UInt64) -> Bool {
    (word &- ones &* 0x25) & ~word & highBits != 0
  }

  @inline(__always)
  static func scan(_ bytes: Span<UInt8>, from start: Int) -> Stop {
    let raw = bytes.bytes
    let count = bytes.count
    var position = start
    var folded: UInt64 = 0
    let lastWord = count &- 8
    while position <= lastWord {
      // In bounds: eight bytes from here end at or before the count.
      let word = UInt64(
        littleEndian: raw.unsafeLoadUnaligned(
          fromUncheckedByteOffset: position, as: UInt64.self))
      if mayHaveMarks(word) {
        let found = marks(word)
        if found != 0 {
          let before = found.trailingZeroBitCount & ~7
          folded ^= word & ((1 &<< UInt64(before)) &- 1)
          return Stop(position: position &+ before / 8, exclusiveOr: fold(folded))
        }
      }
      folded ^= word
      position &+= 8
    }
    while position < count {
      let byte = bytes[position]
      if byte < 0x20 || byte == ASCII.dollar { break }
      folded ^= UInt64(byte)
      position &+= 1
    }
    return Stop(position: position, exclusiveOr: fold(folded))
  }

  @inline(__always)
  private static func fold(_ word: UInt64) -> UInt8 {
    var folded = word
    folded ^= folded &>> 32
    folded ^= folded &>> 16
    folded ^= folded &>> 8
    return UInt8(truncatingIfNeeded: folded)
  }
}
