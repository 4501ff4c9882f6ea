// SPDX-License-Identifier: Apache-2.0

/// The checksum of a sentence: the exclusive or of all bytes between `$` and `*`.
///
/// The checksum is sent as two hexadecimal digits after the `*` (NMEA 0183, section 5.3). Some
/// receivers send lower-case digits, and some send text after the digits.
public enum Checksum {
  /// The result of a checksum test.
  public enum Verdict: Equatable, Sendable {
    /// The checksum is correct; `end` is the offset of the `*`, where the fields end.
    case valid(end: Int)
    /// The checksum in the line differs from the checksum computed from the line.
    case mismatch(computed: UInt8, found: UInt8)
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
    let star = line.count &- 3
    guard star > 0 else { return false }
    return line[star] == ASCII.asterisk && value(line[star &+ 1], line[star &+ 2]) != nil
  }

  /// Handles the rare lines with text after the digits or with a wrong checksum.
  @inline(never)
  private static func search(_ line: Span<UInt8>) -> Verdict {
    var star = line.count &- 3
    while star > 0 {
      if line[star] == ASCII.asterisk, let found = value(line[star &+ 1], line[star &+ 2]) {
        let computed = exclusiveOr(of: line.extracting(1..<star))
        return computed == found
          ? .valid(end: star) : .mismatch(computed: computed, found: found)
      }
      star &-= 1
    }
    return .missing
  }

  @inline(__always)
  private static func value(_ high: UInt8, _ low: UInt8) -> UInt8? {
    guard let high = HexDigit.value(high), let low = HexDigit.value(low) else { return nil }
    return high &<< 4 | low
  }
}
