// SPDX-License-Identifier: Apache-2.0

/// The exact digits of a decimal number: ±mantissa / 10^fractionCount.
struct DecimalDigits {
  /// The maximum number of stored digits, and of stored digits after the point.
  ///
  /// This leaves room in 128 bits for the ratio of a unit conversion. IEEE 754 requires a
  /// conversion to use at least twenty digits. Nonzero digits that were cut off only decide how a
  /// tie is rounded.
  static let maximumCount = 35

  /// The mantissa; only its lower 64 bits if ``isLong``.
  var mantissa: UInt64 = 0
  /// The upper 64 bits of the mantissa; 0 unless ``isLong``.
  private var upperMantissa: UInt64 = 0
  /// The number of digits after the point: up to 19, or up to ``maximumCount`` if ``isLong``.
  var fractionCount = 0
  var isNegative = false
  /// Whether there were more than nineteen digits.
  var isLong = false
  /// Whether digits other than 0 were cut off after the last stored digit.
  var isCut = false

  init() {}

  /// Reads more digits than fit into 64 bits; leading and trailing zeros do not count as digits.
  ///
  /// Returns `nil` if the whole part alone has more than ``maximumCount`` digits.
  init?(long bytes: Span<UInt8>) {
    isLong = true
    var wide: UInt128 = 0
    var count = 0
    var zeros = 0
    var isFraction = false
    for index in bytes.indices where !isCut {
      let byte = bytes[index]
      if byte == ASCII.period {
        isFraction = true
      } else if byte == ASCII.zero, isFraction {
        zeros &+= 1
      } else if byte != ASCII.zero || count > 0 {
        // Zeros are counted only once a nonzero digit follows.
        let added = zeros &+ 1
        let newCount = count > 0 ? count &+ added : 1
        let newFractionCount = isFraction ? fractionCount &+ added : 0
        if max(newCount, newFractionCount) > Self.maximumCount {
          guard isFraction else { return nil }
          isCut = true
        } else {
          wide = wide &* PowerOfTen.wide(added) &+ UInt128(byte &- ASCII.zero)
          count = newCount
          fractionCount = newFractionCount
          zeros = 0
        }
      }
    }
    mantissa = UInt64(truncatingIfNeeded: wide)
    upperMantissa = UInt64(truncatingIfNeeded: wide &>> 64)
  }

  /// The complete mantissa.
  var wideMantissa: UInt128 { UInt128(upperMantissa) &<< 64 | UInt128(mantissa) }

  /// The value times a ratio of whole numbers up to 2048, rounded once.
  ///
  /// Up to 2^53, one floating-point division of two whole numbers is correctly rounded (W. Clinger,
  /// "How to Read Floating Point Numbers Accurately"); larger numbers use 128-bit integers. The
  /// result is never a negative zero.
  @inline(__always)
  func value(times multiplier: UInt64, over divisor: UInt64) -> Double {
    let exact: UInt64 = 1 &<< 53
    // No trap: each multiplier is a constant above 0.
    if mantissa < exact / multiplier, fractionCount <= 12, !isLong {
      let numerator = Double(mantissa &* multiplier)
      // No trap: Doubles.
      let magnitude = numerator / (Double(divisor) * PowerOfTen.double(fractionCount))
      return isNegative ? 0 - magnitude : magnitude  // No trap: a Double.
    }
    return slowValue(times: multiplier, over: divisor)
  }

  @inline(never)
  private func slowValue(times multiplier: UInt64, over divisor: UInt64) -> Double {
    let magnitude = Quotient.rounded(
      wideMantissa &* UInt128(multiplier),
      over: PowerOfTen.wide(fractionCount) &* UInt128(divisor), isCut: isCut)
    return isNegative ? 0 - magnitude : magnitude  // No trap: a Double.
  }
}
