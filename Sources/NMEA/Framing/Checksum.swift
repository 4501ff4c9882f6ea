// SPDX-License-Identifier: Apache-2.0

/// The checksum of a sentence: the exclusive or of all bytes between `$` and `*`.
///
/// NMEA 0183 section 5.3: two hexadecimal digits behind `*`. Lower case occurs, and so does text
/// behind the digits.
public enum Checksum {
  /// What became of a sentence's checksum.
  public enum Verdict: Equatable, Sendable {
    /// It is right; the fields end before the offset given, where the `*` stands.
    case valid(end: Int)
    /// It is not what the bytes add up to.
    case mismatch(computed: UInt8, found: UInt8)
    /// There is none.
    case missing
  }

  /// Checks a line.
  ///
  /// - Parameters:
  ///   - line: A sentence from its `$` or `!` to before its line ending.
  ///   - exclusiveOr: The exclusive or of all its bytes but the first.
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

  /// The exclusive or of bytes.
  ///
  /// - Parameter bytes: What stands between `$` and `*`.
  /// - Returns: Their exclusive or.
  public static func exclusiveOr(of bytes: Span<UInt8>) -> UInt8 {
    var folded: UInt8 = 0
    for index in bytes.indices { folded ^= bytes[index] }
    return folded
  }

  /// Whether a line ends in `*` and two hexadecimal digits.
  static func isPresent(atEndOf line: Span<UInt8>) -> Bool {
    let star = line.count &- 3
    guard star > 0 else { return false }
    return line[star] == ASCII.asterisk && value(line[star &+ 1], line[star &+ 2]) != nil
  }

  /// The rare forms: text behind the digits, or a wrong sum.
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
