// SPDX-License-Identifier: Apache-2.0

/// The exact value of a field, as a quotient of two whole numbers.
struct ExactValue {
  var numerator: Natural
  var denominator: Natural

  /// Makes the value of decimal digits with at most one point, times a ratio.
  init(decimal: String, times multiplier: UInt32 = 1, over divisor: UInt32 = 1) {
    numerator = Natural(digits: decimal) * multiplier
    denominator = Natural.power(of: 10, Self.fractionCount(decimal)) * divisor
  }

  /// Makes the value in degrees of `dddmm.mm`.
  init(angle: String) {
    let whole = angle.prefix { $0 != "." }
    let minutes = (UInt64(whole.dropLast(2)) ?? 0) * 60 + (UInt64(whole.suffix(2)) ?? 0)
    numerator = Natural(digits: "\(minutes)" + angle.dropFirst(whole.count))
    denominator = Natural.power(of: 10, Self.fractionCount(angle)) * 60
  }

  private static func fractionCount(_ decimal: String) -> Int {
    decimal.contains(".") ? decimal.count - decimal.prefix { $0 != "." }.count - 1 : 0
  }

  /// Returns whether a magnitude is the `Double` nearest to this value, ties to even.
  func rounds(to magnitude: Double) -> Bool {
    guard magnitude.isFinite, magnitude.sign == .plus else { return false }
    if numerator.isZero || magnitude == 0 { return numerator.isZero && magnitude == 0 }
    // All values are in quarters of a unit in the last place. Below a power of two a unit is half
    // as large, so half of that unit is one quarter.
    let mantissa = magnitude.significandBitPattern | 1 << 52
    let isPower = magnitude.significandBitPattern == 0
    let exponent = Int(magnitude.exponent) - 52 - 2
    let scaled = exponent < 0 ? numerator.shifted(by: -exponent) : numerator
    let unit = exponent > 0 ? denominator.shifted(by: exponent) : denominator
    let lowest = unit.times(4 * mantissa - (isPower ? 1 : 2))
    let highest = unit.times(4 * mantissa + 2)
    return mantissa.isMultiple(of: 2)
      ? lowest <= scaled && scaled <= highest : lowest < scaled && scaled < highest
  }
}
