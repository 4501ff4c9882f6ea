// SPDX-License-Identifier: Apache-2.0

/// The checksum of a sentence: the exclusive or of all bytes between `$` and `*`.
///
/// The checksum is sent as two hexadecimal digits after the `*` (NMEA 0183, section 5.3). Some
/// receivers send lower-case digits, and some send text after the digits. A manufacturer's log that
/// begins with `#` has a CRC-32 of eight digits instead.
public enum Checksum {
  /// The result of a checksum test.
  public enum Verdict: Equatable, Sendable {
    /// The checksum is correct; `end` is the offset of the `*`, where the fields end.
    case valid(end: Int)
    /// The checksum in the line differs from the checksum computed from the line.
    case mismatch(computed: UInt8, found: UInt8)
    /// The CRC in a log differs from the CRC computed from the log.
    case cyclicMismatch
    /// The line has no checksum.
    case missing
  }

  /// Checks the checksum of a line.
  ///
  /// - Parameters:
  ///   - line: A sentence from its `$` or `!` to before its line ending.
  ///   - exclusiveOr: The exclusive or of all bytes of the line except the first.
  /// - Returns: The verdict.
  @inline(__always)
  public static func check(_ line: Span<UInt8>, exclusiveOr: UInt8) -> Verdict {
    let star = line.count &- 3
    if star > 0, line[star] == ASCII.asterisk, let found = value(line[star &+ 1], line[star &+ 2]) {
      let computed = exclusiveOr ^ ASCII.asterisk ^ line[star &+ 1] ^ line[star &+ 2]
      if computed == found { return .valid(end: star) }
    }
    return search(line)
  }

  /// Returns the exclusive or of bytes, such as those between `$` and `*`.
  public static func exclusiveOr(of bytes: Span<UInt8>) -> UInt8 {
    var folded: UInt8 = 0
    for index in bytes.indices { folded ^= bytes[index] }
    return folded
  }

  /// Returns whether a line ends with `*` and two hexadecimal digits.
  static func isPresent(atEndOf line: Span<UInt8>) -> Bool {
    if isLog(line) { return cyclicStart(in: line) != nil }
    let star = line.count &- 3
    guard star > 0 else { return false }
    return line[star] == ASCII.asterisk && value(line[star &+ 1], line[star &+ 2]) != nil
  }

  /// Handles the rare lines with text after the digits or with a wrong checksum.
  @inline(never)
  private static func search(_ line: Span<UInt8>) -> Verdict {
    if isLog(line) { return checkCyclic(line) }
    var star = line.count &- 3
    while star > 0 {
      if line[star] == ASCII.asterisk, let found = value(line[star &+ 1], line[star &+ 2]) {
        let computed = exclusiveOr(of: line.extracting(1..<star))
        return computed == found
          ? .valid(end: star)
          : .mismatch(computed: computed, found: found)
      }
      star &-= 1
    }
    return .missing
  }

  private static func checkCyclic(_ line: Span<UInt8>) -> Verdict {
    guard let star = cyclicStart(in: line) else { return .missing }
    let (computed, found) = cyclicChecksums(of: line)
    return computed == found ? .valid(end: star) : .cyclicMismatch
  }

  /// Returns the computed and the stated CRC-32 of a log that ends with a CRC.
  ///
  /// Reflected polynomial 0xEDB88320, initially 0, not inverted. Source: NovAtel, "OEM7 Commands and
  /// Logs Reference Manual": 32-bit CRC. Unicore uses the same.
  static func cyclicChecksums(of line: Span<UInt8>) -> (computed: UInt32, found: UInt32) {
    guard let star = cyclicStart(in: line) else { return (0, 0) }
    var found: UInt32 = 0
    for index in star &+ 1..<line.count {
      found = found &<< 4 | UInt32(truncatingIfNeeded: HexDigit.value(line[index]) ?? 0)
    }
    var computed: UInt32 = 0
    for index in 1..<star {
      computed ^= UInt32(truncatingIfNeeded: line[index])
      for _ in 0..<8 { computed = computed &>> 1 ^ (computed & 1 == 0 ? 0 : 0xEDB8_8320) }
    }
    return (computed, found)
  }

  private static func isLog(_ line: Span<UInt8>) -> Bool {
    line.count > 0 && line[0] == ASCII.numberSign
  }

  /// Returns the offset of the `*` before eight final hexadecimal digits.
  private static func cyclicStart(in line: Span<UInt8>) -> Int? {
    let star = line.count &- 9
    guard star > 0, line[star] == ASCII.asterisk else { return nil }
    for index in star &+ 1..<line.count where HexDigit.value(line[index]) == nil { return nil }
    return star
  }

  @inline(__always)
  private static func value(_ high: UInt8, _ low: UInt8) -> UInt8? {
    guard let high = HexDigit.value(high), let low = HexDigit.value(low) else { return nil }
    return high &<< 4 | low
  }
}
