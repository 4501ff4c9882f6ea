// SPDX-License-Identifier: Apache-2.0

/// Text out of bytes from a wire that may not be text.
enum PrintableASCII {
  /// The lowest `count` bytes of `packed`, the highest first.
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
