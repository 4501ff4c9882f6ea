// SPDX-License-Identifier: Apache-2.0

extension JSONLine {
  /// Writes a number with a fixed number of decimal places, correctly rounded.
  ///
  /// The digits are as from C's `%.<places>f`: the exact value of the double is rounded, halves to
  /// the even digit. There are two differences: a result of zero has no sign, and a number that is
  /// too large for 64 bits after scaling is written in the shortest form from which the same number
  /// can be read. A number that is not finite is omitted, because JSON cannot represent it.
  ///
  /// - Parameters:
  ///   - key: The name of the field.
  ///   - value: The value; `nil` omits the field.
  ///   - places: The number of decimal places, clamped to 1 to 9.
  ///   - trims: Whether trailing zeros are removed, except a zero directly after the point.
  public mutating func decimal(
    _ key: StaticString, _ value: Double?, places: Int, trims: Bool = true
  ) {
    append(atMost: key.utf8CodeUnitCount + 35) {
      $0.decimal(key, value, places: places, trims: trims)
    }
  }
}

extension UnsafeMutablePointer<UInt8> {
  /// Writes a decimal field.
  ///
  /// The value and the comma after it take at most 32 bytes; the key and its quotes are extra.
  @inline(__always)
  mutating func decimal(
    _ key: StaticString, _ value: Double?, places: Int, trims: Bool = true
  ) {
    guard let value else { return }
    // Fast path: elevations, azimuths and signal strengths are usually whole numbers.
    if trims, value >= 0, value < 1000 {
      // The sum has no bits for a fraction, and its lowest bits are the whole number.
      let sum = value + 0x1p52
      if sum - 0x1p52 == value {
        self.key(key)
        // ".0,", with the first character in the lowest byte.
        return put(
          below1000: UInt32(truncatingIfNeeded: sum.bitPattern), suffix: 0x2C302E, count: 3)
      }
    }
    guard value.isFinite else { return }
    self.key(key)
    put(value, places: places, trims: trims)
  }

  /// Not inlined, so that its callers stay small enough to be inlined themselves.
  @inline(never)
  private mutating func put(_ value: Double, places: Int, trims: Bool) {
    let places = Swift.min(Swift.max(places, 1), 9)
    let unit = Self.powerOfTen(places)
    guard let scaled = Self.scaled(value.magnitude, by: unit) else { return putShortest(value) }
    if value < 0, scaled != 0 { put(.minus) }
    let whole = scaled / unit
    if whole < 1000 {
      put(below1000: UInt32(truncatingIfNeeded: whole), suffix: UInt64(UInt8.point), count: 1)
    } else {
      put(decimal: whole)
      put(.point)
    }
    let fraction = self
    put(scaled &- whole &* unit, digits: places)
    if trims {
      while self - fraction > 1, (self - 1).pointee == .zero { self -= 1 }
    }
    put(.comma)
  }

  /// Returns a value times a power of ten, rounded correctly to a whole number.
  ///
  /// A double is `m * 2^-s` with `m` below 2^53, so `m * unit` fits 128 bits exactly. The result is
  /// rounded when the product is shifted by `s`, without an inexact floating-point product.
  ///
  /// Returns `nil` if the value is 2^52 or more, or the result does not fit 64 bits.
  @inline(__always)
  static func scaled(_ magnitude: Double, by unit: UInt64) -> UInt64? {
    let exponent = Int(magnitude.exponentBitPattern)
    let significand =
      exponent == 0
      ? magnitude.significandBitPattern : magnitude.significandBitPattern | 1 &<< 52
    let shift = 1075 &- max(exponent, 1)
    guard shift > 0 else { return nil }
    // The product is below 2^83, so after a shift of 84 or more it is less than one half.
    guard shift < 84 else { return 0 }
    let product = UInt128(significand) &* UInt128(unit)
    let bits = UInt128(shift)
    let quotient = product &>> bits
    guard quotient < UInt128(UInt64.max) else { return nil }
    let whole = UInt64(truncatingIfNeeded: quotient)
    let rest = product &- quotient &<< bits
    let half = (1 as UInt128) &<< (bits &- 1)
    let goesUp = rest > half || (rest == half && whole & 1 == 1)
    return goesUp ? whole &+ 1 : whole
  }

  @inline(__always)
  private static func powerOfTen(_ places: Int) -> UInt64 {
    switch places {
    case 1: 10
    case 2: 100
    case 3: 1_000
    case 4: 10_000
    case 5: 100_000
    case 6: 1_000_000
    case 7: 10_000_000
    case 8: 100_000_000
    default: 1_000_000_000
    }
  }

  /// Writes the shortest form of a number that is larger than any real altitude or speed.
  private mutating func putShortest(_ value: Double) {
    for byte in value.description.utf8.prefix(31) { put(byte) }
    put(.comma)
  }
}
