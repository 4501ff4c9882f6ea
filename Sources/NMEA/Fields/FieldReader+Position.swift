// SPDX-License-Identifier: Apache-2.0

extension FieldReader {
  /// Latitude and its hemisphere: `ddmm.mmmm,N`.
  ///
  /// Degrees, north positive.
  @inline(__always)
  mutating func latitude() -> Double? {
    angle(maximumDegrees: 90, positive: 0x4E, negative: 0x53)
  }

  /// Longitude and its hemisphere: `dddmm.mmmm,E`.
  ///
  /// Degrees, east positive.
  @inline(__always)
  mutating func longitude() -> Double? {
    angle(maximumDegrees: 180, positive: 0x45, negative: 0x57)
  }

  /// Degrees and minutes in one number, and a letter for the sign.
  ///
  /// Degrees are (60 d + m) / 60 with m as its digits say, in one division: 7 digits of minutes
  /// are a few millimetres, and two roundings would show.
  private mutating func angle(
    maximumDegrees: UInt64, positive: UInt8, negative: UInt8
  ) -> Double? {
    let start = position
    guard begin() else {
      skip()
      return nil
    }
    guard let digits = digits(), !digits.isNegative else {
      position = start
      reject(.malformedNumber, refusing: true)
      skip()
      return nil
    }
    guard let value = Self.degrees(digits, upTo: maximumDegrees) else {
      // MediaTek sends 8960.0000 before its first fix: no position, but the time is good.
      note(.outOfRange, from: start, refusing: false)
      skip()
      return nil
    }
    return signed(value, positive: positive, negative: negative)
  }

  /// The degrees that `dddmm.mm` stands for; `nil` where there are too many degrees or minutes.
  @inline(__always)
  private static func degrees(_ digits: DecimalDigits, upTo maximum: UInt64) -> Double? {
    guard digits.fractionCount <= 11, !digits.isLong else {
      return carefulDegrees(digits, upTo: UInt128(maximum))
    }
    let scale = PowerOfTen.integer(digits.fractionCount)
    let whole = digits.mantissa / scale
    let fraction = digits.mantissa &- whole &* scale
    let degrees = whole / 100
    let minutes = whole &- degrees &* 100
    guard minutes < 60,
      degrees < maximum || (degrees == maximum && minutes == 0 && fraction == 0)
    else { return nil }
    // At most 10,800 minutes, so up to 11 digits behind the point both sides stay below 2^53.
    return Double((degrees &* 60 &+ minutes) &* scale &+ fraction)
      / (60 * PowerOfTen.double(digits.fractionCount))
  }

  /// The same of more digits.
  @inline(never)
  private static func carefulDegrees(_ digits: DecimalDigits, upTo maximum: UInt128) -> Double? {
    let scale = PowerOfTen.wide(digits.fractionCount)
    let (whole, fraction) = digits.wideMantissa.quotientAndRemainder(dividingBy: scale)
    let (degrees, minutes) = whole.quotientAndRemainder(dividingBy: 100)
    let isRound = minutes == 0 && fraction == 0 && !digits.isCut
    guard minutes < 60, degrees < maximum || (degrees == maximum && isRound) else { return nil }
    return Quotient.rounded(
      (degrees &* 60 &+ minutes) &* scale &+ fraction, over: 60 &* scale, isCut: digits.isCut)
  }

  /// A number without a hemisphere is not a place: it is refused, not guessed.
  @inline(__always)
  private mutating func signed(_ value: Double, positive: UInt8, negative: UInt8) -> Double? {
    let start = position
    let letter = letter()
    if letter == positive { return value }
    if letter == negative { return 0 - value }
    note(.unexpectedLetter, from: start, refusing: true)
    return nil
  }
}
