// SPDX-License-Identifier: Apache-2.0

extension FieldReader {
  /// Reads a decimal number and multiplies it by a ratio of whole numbers, for a unit conversion.
  ///
  /// The product is rounded once.
  @_lifetime(self: copy self)
  @inline(__always)
  mutating func decimal(times multiplier: UInt64 = 1, over divisor: UInt64 = 1) -> Double? {
    guard beginField() else { return nil }
    guard let digits = digits() else {
      reject(.malformedNumber)
      return nil
    }
    return digits.value(times: multiplier, over: divisor)
  }

  /// Reads a decimal number; returns `nil` and records a flaw if it is outside the range.
  @_lifetime(self: copy self)
  @inline(__always)
  mutating func decimal(
    in range: ClosedRange<Double>, times multiplier: UInt64 = 1, over divisor: UInt64 = 1
  ) -> Double? {
    let start = position
    guard let value = decimal(times: multiplier, over: divisor) else { return nil }
    guard range.contains(value) else {
      note(.outOfRange, from: start, refusing: false)
      return nil
    }
    return value
  }

  /// Reads a dilution of precision; `nil` for 0 and for 99 or more, which mean "unknown".
  mutating func dilution() -> Double? {
    guard let value = decimal(), value > 0, value < 99 else { return nil }
    return value
  }

  /// Reads a bearing in degrees, 0 to below 360; 360 becomes 0.
  mutating func bearing() -> Double? {
    guard let value = decimal(in: 0...360) else { return nil }
    return value == 360 ? 0 : value
  }

  /// Reads a number and the letter for its sign; `nil` if either field is empty.
  @_lifetime(self: copy self)
  mutating func signedDecimal(negative: UInt8) -> Double? {
    let value = decimal()
    let letter = letter()
    guard let value, let letter else { return nil }
    return letter == negative ? 0 - value : value  // No trap: a Double.
  }

  /// Reads a deviation or variation and its direction: degrees, east positive, -180 to 180.
  ///
  /// Above 180, which some receivers send for "unknown" (`999.9,E`), returns `nil` and records a
  /// flaw.
  @inline(__always)
  mutating func deviation() -> Double? {
    let start = position
    guard let value = signedDecimal(negative: 0x57) else { return nil }
    guard value.magnitude <= 180 else {
      note(.outOfRange, from: start, refusing: false)
      return nil
    }
    return value
  }
}
