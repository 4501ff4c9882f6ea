// SPDX-License-Identifier: Apache-2.0

/// Converts received bytes to text, with `?` for bytes that are not printable ASCII.
enum PrintableASCII {
  /// Returns the lowest `count` bytes of `packed` as text, the highest byte first.
  static func string(_ packed: UInt64, count: Int) -> String {
    var text = ""
    for index in (0..<min(max(count, 0), 8)).reversed() {
      let byte = packed &>> (UInt64(truncatingIfNeeded: index) &* 8)
      text.unicodeScalars.append(scalar(UInt8(truncatingIfNeeded: byte)))
    }
    return text
  }

  static func scalar(_ byte: UInt8) -> Unicode.Scalar {
    (0x20..<0x7F).contains(byte) ? Unicode.Scalar(byte) : "?"
  }
}
