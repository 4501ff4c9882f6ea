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

  /// Reads a speed and its unit: `N` knots, `K` kilometres per hour, `M` metres per second.
  ///
  /// Returns metres per second; `nil` if the unit is empty or unknown.
  mutating func speed() -> Double? {
    let start = position
    skip()
    let unit = letter()
    let next = position
    position = start
    defer { position = next }
    return switch unit {
    case 0x4E: decimal(in: 0...100_000, times: 463, over: 900)
    case 0x4B: decimal(in: 0...100_000, times: 5, over: 18)
    case 0x4D: decimal(in: 0...100_000)
    default: nil
    }
  }

  /// Reads the sign and digits of a field after ``beginField()``; `nil` if it is not a number.
  @inline(__always)
  mutating func digits() -> DecimalDigits? {
    var offset = position
    var digits = DecimalDigits()
    let sign = byte(at: offset)
    if sign == ASCII.minus || sign == ASCII.plus {
      digits.isNegative = sign == ASCII.minus
      offset &+= 1
    }
    let start = offset
    digits.mantissa = appendDigits(from: &offset, to: 0)
    var count = offset &- start
    if byte(at: offset) == ASCII.period {
      offset &+= 1
      let point = offset
      digits.mantissa = appendDigits(from: &offset, to: digits.mantissa)
      digits.fractionCount = offset &- point
      count &+= digits.fractionCount
    }
    guard count > 0, byte(at: offset) == ASCII.comma || offset == end else { return nil }
    // Nineteen digits always fit into 64 bits; a longer number is read again into 128 bits.
    if count > 19 {
      guard let long = DecimalDigits(long: bytes.extracting(start..<offset)) else {
        return nil
      }
      let isNegative = digits.isNegative
      digits = long
      digits.isNegative = isNegative
    }
    position = offset &+ 1
    return digits
  }

  /// Reads the digits from `offset` on and appends them to the digits in `high`.
  @inline(__always)
  private func appendDigits(from offset: inout Int, to high: UInt64) -> UInt64 {
    var value = high
    while true {
      let digit = byte(at: offset) &- ASCII.zero
      guard digit < 10 else { return value }
      value = value &* 10 &+ UInt64(digit)
      offset &+= 1
    }
  }
}
