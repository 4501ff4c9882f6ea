// SPDX-License-Identifier: Apache-2.0

/// Correctly rounded quotients of whole numbers that are too large for an exact `Double`.
enum Quotient {
  /// Returns the `Double` nearest to numerator / denominator, ties to even; 0 if an operand is 0.
  ///
  /// `isCut` means that the true numerator is slightly larger: nonzero digits were cut off.
  static func rounded(_ numerator: UInt128, over denominator: UInt128, isCut: Bool) -> Double {
    guard numerator != 0, denominator != 0 else { return 0 }
    // Both operands are shifted so that their highest bit is set. The shifted numerator * 2^127 /
    // denominator is above 2^126 and below 2^128: the quotient cannot overflow, and has more than
    // the 64 bits that are kept.
    let raised = numerator.leadingZeroBitCount
    let lowered = denominator.leadingZeroBitCount
    let dividend = numerator &<< UInt128(raised)
    let (quotient, remainder) = (denominator &<< UInt128(lowered))
      .dividingFullWidth((high: dividend &>> 1, low: dividend &<< 127))
    // A Double has 53 bits, plus one bit for rounding. Lower bits are folded into a sticky bit.
    let dropped = 64 &- quotient.leadingZeroBitCount
    let kept = quotient &>> UInt128(dropped)
    let isExact = !isCut && remainder == 0 && kept &<< UInt128(dropped) == quotient
    let bits = UInt64(truncatingIfNeeded: kept) | (isExact ? 0 : 1)
    return Double(
      sign: .plus, exponent: dropped &+ lowered &- raised &- 127, significand: Double(bits))
  }
}
