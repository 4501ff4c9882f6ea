// SPDX-License-Identifier: Apache-2.0

/// Finds the end of a line and computes its checksum in the same pass, eight bytes at a time.
enum LineScanner {
  struct Stop {
    /// The offset of the first control character or `$`; the byte count if none exists.
    var position: Int
    /// The exclusive or of all bytes before ``position``.
    var exclusiveOr: UInt8
  }

  private static let ones: UInt64 = 0x0101_0101_0101_0101
  private static let highBits: UInt64 = 0x8080_8080_8080_8080

  /// Sets the high bit of each byte that is below 0x20 or equal to `$`.
  ///
  /// Borrows propagate upwards only, so the lowest mark is exact; higher marks may be wrong.
  /// (S. Anderson, "Bit Twiddling Hacks", `hasless` and `haszero`.)
  @inline(__always)
  private static func marks(_ word: UInt64) -> UInt64 {
    let control = (word &- ones &* 0x20) & ~word
    let dollar = word ^ (ones &* UInt64(ASCII.dollar))
    return (control | ((dollar &- ones) & ~dollar)) & highBits
  }

  /// Returns whether any byte is below 0x25, so that ``marks(_:)`` may mark it.
  ///
  /// This test costs half as much as ``marks(_:)``. It also matches space, `!`, `"` and `#`, which
  /// are rare within a sentence.
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
      // The eight bytes are in bounds.
      let word = UInt64(
        littleEndian: raw.unsafeLoadUnaligned(
          fromUncheckedByteOffset: position, as: UInt64.self))
      if mayHaveMarks(word) {
        let found = marks(word)
        if found != 0 {
          let before = found.trailingZeroBitCount & ~7
          folded ^= word & ((1 &<< UInt64(before)) &- 1)
          // No trap: the divisor is a constant.
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
