// SPDX-License-Identifier: Apache-2.0

extension JSONLine {
  /// Writes a number with a fixed number of decimals, correctly rounded.
  ///
  /// The digits are those of C's `%.<places>f`: the value of the double is exact, halves go to the
  /// even digit. Two differences: a result of zero carries no sign, and where it is too large for
  /// 64 bits after scaling, the shortest form that reads back the same is written. What is not
  /// finite is left out: JSON has no word for it, and it means unknown.
  ///
  /// - Parameters:
  ///   - key: The field's name.
  ///   - value: The value; `nil` leaves the field out.
  ///   - places: How many decimals, 1 to 9; others count as the nearest of these.
  ///   - trims: Whether zeros at the end go, all but the one after the point.
  public mutating func decimal(
    _ key: StaticString, _ value: Double?, places: Int, trims: Bool = true
  ) {
    append(atMost: key.utf8CodeUnitCount + 35) {
      $0.decimal(key, value, places: places, trims: trims)
    }
  }
}

extension UnsafeMutablePointer<UInt8> {
  /// At most 32 bytes: sign, 20 digits, point, comma; a description has no more than 24.
  @inline(__always)
  mutating func decimal(
    _ key: StaticString, _ value: Double?, places: Int, trims: Bool = true
  ) {
    guard let value else { return }
    // Elevations, azimuths and signals are whole numbers more often than not.
    if trims, value >= 0, value < 1000 {
      // Below 2^52 the sum has no bits for a fraction, and its lowest bits are the whole number.
      let sum = value + 0x1p52
      if sum - 0x1p52 == value {
        self.key(key)
        // ".0,", the first byte lowest.
        return put(
          below1000: UInt32(truncatingIfNeeded: sum.bitPattern), suffix: 0x2C302E, count: 3)
      }
    }
    guard value.isFinite else { return }
    self.key(key)
    put(value, places: places, trims: trims)
  }

  /// Kept out of line, so that callers stay small enough for their keys to be inlined.
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

  /// A value times a power of ten, rounded to a whole number as if the product were exact.
  ///
  /// A double is `m * 2^-s` with `m` below 2^53, so `m * unit` fits 128 bits exactly and the
  /// shift decides the rounding: no floating-point product that could fall on the wrong side.
  ///
  /// Returns `nil` where the value is 2^52 or more, or the result does not fit.
  @inline(__always)
  static func scaled(_ magnitude: Double, by unit: UInt64) -> UInt64? {
    let exponent = Int(magnitude.exponentBitPattern)
    let significand =
      exponent == 0
      ? magnitude.significandBitPattern : magnitude.significandBitPattern | 1 &<< 52
    let shift = 1075 &- max(exponent, 1)
    guard shift > 0 else { return nil }
    // Below 2^83 in all: a shift of 84 or more leaves less than half a unit.
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

  /// The rare way: a number beyond any altitude or speed there is.
  private mutating func putShortest(_ value: Double) {
    for byte in value.description.utf8.prefix(31) { put(byte) }
    put(.comma)
  }
}
