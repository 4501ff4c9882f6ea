// SPDX-License-Identifier: Apache-2.0

/// File names derived from names that programs choose.
enum StateFileName {
  /// The maximum length of an encoded name; a longer name is truncated and ends in a hash.
  private static let maxBytes = 100

  /// Encodes a name with letters, digits, `-`, `_` and `%` escapes; different names stay different.
  ///
  /// Returns `van` for `van`, and `my%20van` for `my van`.
  static func encoded(_ name: String) -> String {
    var encoded = ""
    for byte in name.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
        encoded.unicodeScalars.append(Unicode.Scalar(byte))
      default: encoded += "%" + hex(UInt64(byte), digits: 2)
      }
    }
    guard encoded.utf8.count > maxBytes else { return encoded }
    // The dot distinguishes a truncated name, since other encoded names contain no dot.
    return encoded.prefix(maxBytes - 20) + "." + hex(hash(name), digits: 16)
  }

  private static func hex(_ number: UInt64, digits: Int) -> String {
    let text = String(number, radix: 16)
    return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
  }

  /// FNV-1a, 64 bits.
  private static func hash(_ text: String) -> UInt64 {
    text.utf8.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
  }
}
