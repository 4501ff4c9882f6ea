// SPDX-License-Identifier: Apache-2.0

/// Hexadecimal digits in upper or lower case.
enum HexDigit {
  @inline(__always)
  static func value(_ byte: UInt8) -> UInt8? {
    let decimal = byte &- ASCII.zero
    if decimal < 10 { return decimal }
    let letter = (byte | 0x20) &- 0x61
    return letter < 6 ? letter &+ 10 : nil
  }
}
