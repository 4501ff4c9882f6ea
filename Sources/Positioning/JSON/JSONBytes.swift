// SPDX-License-Identifier: Apache-2.0

/// ASCII characters of the JSON syntax.
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

/// A write position; the caller must have reserved enough space.
extension UnsafeMutablePointer<UInt8> {
  @inline(__always)
  mutating func put(_ byte: UInt8) {
    pointee = byte
    self += 1
  }

  /// Writes a number below 1,000 without leading zeros, and then `count` bytes of `suffix`.
  ///
  /// `suffix` has up to five bytes, the first in the lowest byte. To avoid a loop, the function
  /// builds all bytes in one word and always stores eight bytes; the next write overwrites the
  /// surplus. ``JSONLine/append(atMost:_:)`` reserves space for it.
  @inline(__always)
  mutating func put(below1000 value: UInt32, suffix: UInt64, count: Int) {
    // Most numbers of a satellite entry have two digits.
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
      // 10^20 would overflow, but the loop ends with 20 digits.
      limit &*= 10
    }
    put(value, digits: digits)
  }

  /// Writes the last `digits` decimal digits of a number, including leading zeros.
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

/// Complete fields. Each field needs space for its key, 3 bytes and the size in its comment.
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

  /// Writes a Boolean field: at most 6 bytes.
  @inline(__always)
  mutating func boolean(_ key: StaticString, _ value: Bool?) {
    guard let value else { return }
    self.key(key)
    put(value ? "true," : "false," as StaticString)
  }

  /// Writes an integer field: at most 21 bytes.
  @inline(__always)
  mutating func integer(_ key: StaticString, _ value: Int?) {
    guard let value else { return }
    self.key(key)
    put(integer: value)
  }

  /// Writes an integer and a comma: at most 21 bytes.
  @inline(__always)
  mutating func put(integer value: Int) {
    guard let small = UInt32(exactly: value), small < 1000 else { return put(large: value) }
    put(below1000: small, suffix: UInt64(UInt8.comma), count: 1)
  }

  /// This function is not inlined, to keep its callers small; most numbers are below 1000.
  @inline(never)
  private mutating func put(large value: Int) {
    if value < 0 { put(.minus) }
    put(decimal: UInt64(value.magnitude))
    put(.comma)
  }

  /// Writes a field with a fixed text: the length of the text and 3 bytes.
  @inline(__always)
  mutating func constant(_ key: StaticString, _ value: StaticString) {
    self.key(key)
    put(.quote)
    put(value)
    put(.quote)
    put(.comma)
  }
}
