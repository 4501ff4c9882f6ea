// SPDX-License-Identifier: Apache-2.0

/// The characters with a special meaning within or between sentences.
enum ASCII {
  static let lineFeed: UInt8 = 0x0A
  static let carriageReturn: UInt8 = 0x0D
  static let space: UInt8 = 0x20
  static let exclamationMark: UInt8 = 0x21
  static let numberSign: UInt8 = 0x23
  static let dollar: UInt8 = 0x24
  static let asterisk: UInt8 = 0x2A
  static let plus: UInt8 = 0x2B
  static let comma: UInt8 = 0x2C
  static let minus: UInt8 = 0x2D
  static let period: UInt8 = 0x2E
  static let zero: UInt8 = 0x30
  static let semicolon: UInt8 = 0x3B
  static let backslash: UInt8 = 0x5C
}
