// SPDX-License-Identifier: Apache-2.0

/// The ASCII characters that JSON is made of.
extension UInt8 {
  static let newline: UInt8 = 0x0A
  static let quote: UInt8 = 0x22
  static let comma: UInt8 = 0x2C
  static let minus: UInt8 = 0x2D
  static let point: UInt8 = 0x2E
  static let zero: UInt8 = 0x30
  static let colon: UInt8 = 0x3A
  static let openBracket: UInt8 = 0x5B
  static let backslash: UInt8 = 0x5C
  static let closeBracket: UInt8 = 0x5D
  static let openBrace: UInt8 = 0x7B
  static let closeBrace: UInt8 = 0x7D
}

/// A write position that moves on; whoever uses it has made sure of the room.
extension UnsafeMutablePointer<UInt8> {
  @inline(__always)
  mutating func put(_ byte: UInt8) {
    pointee = byte
    self += 1
  }

  /// Writes a number below 1,000 without leading zeros, and up to five more bytes: `suffix` holds
  /// them, the first in its lowest byte.
  ///
  /// Builds all bytes in one word and stores eight, of which the later ones are overwritten by what
  /// follows: no loop. ``JSONLine/append(atMost:_:)`` reserves the room.
  @inline(__always)
  mutating func put(below1000 value: UInt32, suffix: UInt64, count: Int) {
    // Most numbers of a satellite have two digits.
    if value < 100 {
      let leadingZeros = value < 10 ? 1 : 0
      let text = (UInt64(DigitPairs[value]) | suffix &<< 16) &>> UInt64(leadingZeros &* 8)
      UnsafeMutableRawPointer(self).storeBytes(of: text.littleEndian, as: UInt64.self)
      self += 2 &+ count &- leadingZeros
      return
    }
    let hundreds = value / 100
    let rest = value &- hundreds &* 100
    let digits = UInt64(hundreds) | 0x30 | UInt64(DigitPairs[rest]) &<< 8
    let text = digits | suffix &<< 24
    UnsafeMutableRawPointer(self).storeBytes(of: text.littleEndian, as: UInt64.self)
    self += 3 &+ count
  }

  /// Writes a number without leading zeros: 1 to 20 bytes.
  mutating func put(decimal value: UInt64) {
    if value < 10 { return put(.zero &+ UInt8(truncatingIfNeeded: value)) }
    var digits = 2
    var limit: UInt64 = 100
    while digits < 20, value >= limit {
      digits &+= 1
      // 10^20 does not fit; by then `digits` has ended the loop.
      limit &*= 10
    }
    put(value, digits: digits)
  }

  /// Writes the last `digits` decimal digits of a number, leading zeros included.
  @inline(__always)
  mutating func put(_ value: UInt64, digits: Int) {
    var rest = value
    var left = digits
    while left >= 2 {
      left &-= 2
      let pair = DigitPairs[UInt32(truncatingIfNeeded: rest % 100)]
      rest /= 100
      UnsafeMutableRawPointer(self + left).storeBytes(of: pair.littleEndian, as: UInt16.self)
    }
    if left == 1 { self[0] = .zero &+ UInt8(truncatingIfNeeded: rest % 10) }
    self += digits
  }
}

/// Whole fields at a write position. The room they need, beside the key's length: 3 for the key's
/// punctuation, and what each says.
extension UnsafeMutablePointer<UInt8> {
  @inline(__always)
  mutating func key(_ key: StaticString) {
    put(.quote)
    put(key)
    put(.quote)
    put(.colon)
  }

  @inline(__always)
  mutating func put(_ text: StaticString) {
    UnsafeMutableRawPointer(self).copyMemory(
      from: text.utf8Start, byteCount: text.utf8CodeUnitCount)
    self += text.utf8CodeUnitCount
  }

  /// At most 6 bytes.
  @inline(__always)
  mutating func boolean(_ key: StaticString, _ value: Bool?) {
    guard let value else { return }
    self.key(key)
    put(value ? "true," : "false," as StaticString)
  }

  /// At most 21 bytes.
  @inline(__always)
  mutating func integer(_ key: StaticString, _ value: Int?) {
    guard let value else { return }
    self.key(key)
    put(integer: value)
  }

  /// A whole number and a comma, at most 21 bytes.
  @inline(__always)
  mutating func put(integer value: Int) {
    guard let small = UInt32(exactly: value), small < 1000 else { return put(large: value) }
    put(below1000: small, suffix: UInt64(UInt8.comma), count: 1)
  }

  /// Kept out of line, so that most numbers are only a key and a word.
  @inline(never)
  private mutating func put(large value: Int) {
    if value < 0 { put(.minus) }
    put(decimal: UInt64(value.magnitude))
    put(.comma)
  }

  /// The text's length and 3 bytes.
  @inline(__always)
  mutating func constant(_ key: StaticString, _ value: StaticString) {
    self.key(key)
    put(.quote)
    put(value)
    put(.quote)
    put(.comma)
  }
}
