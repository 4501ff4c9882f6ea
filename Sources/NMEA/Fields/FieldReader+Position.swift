// SPDX-License-Identifier: Apache-2.0

extension FieldReader {
  /// Reads a latitude and its hemisphere (`ddmm.mmmm,N`) in degrees, north positive.
  @inline(__always)
  mutating func latitude() -> Double? {
    angle(maximumDegrees: 90, positive: 0x4E, negative: 0x53)
  }

  /// Reads a longitude and its hemisphere (`dddmm.mmmm,E`) in degrees, east positive.
  @inline(__always)
  mutating func longitude() -> Double? {
    angle(maximumDegrees: 180, positive: 0x45, negative: 0x57)
  }

  /// Reads degrees and minutes in one number, and a letter for the sign.
  ///
  /// The result is (60 d + m) / 60, computed with one division of two exact whole numbers, so it is
  /// the `Double` nearest to the angle.
  @_lifetime(self: copy self)
  private mutating func angle(
    maximumDegrees: UInt64, positive: UInt8, negative: UInt8
  ) -> Double? {
    let start = position
    guard beginField() else {
      skip()
      return nil
    }
    guard let digits = digits(), !digits.isNegative else {
      refuse(.malformedNumber, from: start)
      skip()
      return nil
    }
    guard let value = Self.degrees(digits, upTo: maximumDegrees) else {
      // MediaTek sends 8960.0000 before the first fix. The position is unknown, but the time is
      // valid.
      note(.outOfRange, from: start, refusing: false)
      skip()
      return nil
    }
    return signed(value, positive: positive, negative: negative)
  }

  /// Converts `dddmm.mm` to degrees; `nil` if the degrees or the minutes are out of range.
  @inline(__always)
  private static func degrees(_ digits: DecimalDigits, upTo maximum: UInt64) -> Double? {
    guard digits.fractionCount <= 11, !digits.isLong else {
      return wideDegrees(digits, upTo: UInt128(maximum))
    }
    let scale = PowerOfTen.integer(digits.fractionCount)
    let whole = digits.mantissa / scale  // No trap: the divisor is a power of ten.
    let fraction = digits.mantissa &- whole &* scale
    let degrees = whole / 100  // No trap: the divisor is a constant.
    let minutes = whole &- degrees &* 100
    guard isInRange(degrees, minutes, isWhole: fraction == 0, upTo: maximum) else { return nil }
    // At most 10,800 minutes, so with up to 11 digits after the point, numerator and denominator
    // are below 2^53.
    return Double((degrees &* 60 &+ minutes) &* scale &+ fraction)
      / (60 * PowerOfTen.double(digits.fractionCount))  // No trap: Doubles.
  }

  /// Converts a number with too many digits for 64 bits.
  @inline(never)
  private static func wideDegrees(_ digits: DecimalDigits, upTo maximum: UInt128) -> Double? {
    let scale = PowerOfTen.wide(digits.fractionCount)
    let (whole, fraction) = digits.wideMantissa.quotientAndRemainder(dividingBy: scale)
    let (degrees, minutes) = whole.quotientAndRemainder(dividingBy: 100)
    let isWhole = fraction == 0 && !digits.isCut
    guard isInRange(degrees, minutes, isWhole: isWhole, upTo: maximum) else { return nil }
    return Quotient.rounded(
      (degrees &* 60 &+ minutes) &* scale &+ fraction, over: 60 &* scale, isCut: digits.isCut)
  }

  /// Returns whether degrees and minutes, with or without a fraction of a minute, are an angle.
  ///
  /// Exactly 60 minutes are accepted: RTKLIB rounds 59.99999996 minutes to `60.0000000`. A latitude
  /// of `8960.0000` is not accepted: MediaTek sends it before the first fix.
  @inline(__always)
  private static func isInRange<Number: FixedWidthInteger>(
    _ degrees: Number, _ minutes: Number, isWhole: Bool, upTo maximum: Number
  ) -> Bool {
    if minutes < 60 { return degrees < maximum || (degrees == maximum && minutes == 0 && isWhole) }
    guard minutes == 60, isWhole else { return false }
    return degrees &+ 1 < maximum || (degrees &+ 1 == maximum && maximum > 90)
  }

  /// Applies the hemisphere letter; a sentence without the letter is refused.
  @_lifetime(self: copy self)
  @inline(__always)
  private mutating func signed(_ value: Double, positive: UInt8, negative: UInt8) -> Double? {
    let start = position
    let letter = letter()
    if letter == positive { return value }
    if letter == negative { return 0 - value }  // No trap: a Double.
    note(.unexpectedLetter, from: start, refusing: true)
    return nil
  }
}
