// SPDX-License-Identifier: Apache-2.0

/// Correctly rounded quotients of whole numbers that no `Double` holds.
enum Quotient {
  /// The `Double` nearest to numerator / denominator, ties to even.
  ///
  /// - Parameters:
  ///   - numerator: Any.
  ///   - denominator: Any; 0 gives 0.
  ///   - isCut: Whether the numerator lacks something beyond its last digit.
  /// - Returns: The quotient.
  static func rounded(_ numerator: UInt128, over denominator: UInt128, isCut: Bool) -> Double {
    guard numerator != 0, denominator != 0 else { return 0 }
    // With the highest bit of both set, numerator * 2^127 / denominator lies above 2^126 and below
    // 2^128: it cannot overflow, and has more bits than the 64 that are kept.
    let raised = numerator.leadingZeroBitCount
    let lowered = denominator.leadingZeroBitCount
    let dividend = numerator &<< UInt128(raised)
    let (quotient, remainder) = (denominator &<< UInt128(lowered))
      .dividingFullWidth((high: dividend &>> 1, low: dividend &<< 127))
    // 53 bits count, and one to round by. What is below them only has to leave a trace.
    let dropped = 64 &- quotient.leadingZeroBitCount
    let kept = quotient &>> UInt128(dropped)
    let isExact = !isCut && remainder == 0 && kept &<< UInt128(dropped) == quotient
    let bits = UInt64(truncatingIfNeeded: kept) | (isExact ? 0 : 1)
    return Double(
      sign: .plus, exponent: dropped &+ lowered &- raised &- 127, significand: Double(bits))
  }
}
