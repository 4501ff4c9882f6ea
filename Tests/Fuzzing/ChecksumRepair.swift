// SPDX-License-Identifier: Apache-2.0

/// Corrects the checksums in an input.
///
/// Only one in 256 random checksums is valid, so libFuzzer would rarely reach the code after the
/// checksum test.
enum ChecksumRepair {
  /// Replaces the two hexadecimal digits after each `*`.
  static func repair(_ bytes: inout [UInt8]) {
    var sum: UInt8 = 0
    var position = 0
    while position < bytes.count {
      let byte = bytes[position]
      if byte == UInt8(ascii: "$") || byte == UInt8(ascii: "!") {
        sum = 0
      } else if byte == UInt8(ascii: "*"), position + 2 < bytes.count, isDigit(bytes[position + 1]),
        isDigit(bytes[position + 2])
      {
        bytes[position + 1] = digit(sum >> 4)
        bytes[position + 2] = digit(sum & 15)
        position += 2
      } else {
        sum ^= byte
      }
      position += 1
    }
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "F"): true
    default: false
    }
  }

  private static func digit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
  }
}
