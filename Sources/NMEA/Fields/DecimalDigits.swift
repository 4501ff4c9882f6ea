// SPDX-License-Identifier: Apache-2.0

/// The digits of a decimal number, exactly: ±mantissa / 10^fractionCount.
struct DecimalDigits {
  /// How many digits are kept, and how many behind the point, of a number that has more.
  ///
  /// As many as leave room in 128 bits for the ratio of a unit. IEEE 754 asks of a conversion to
  /// look at twenty; here all that are kept count, and what was cut off still tilts a tie.
  static let maximumCount = 35

  /// All of the mantissa, or the lower half of it where ``isLong``.
  var mantissa: UInt64 = 0
  /// The upper half of it.
  private var upperMantissa: UInt64 = 0
  /// How many of the digits stand behind the point: up to 19, or ``maximumCount`` where ``isLong``.
  var fractionCount = 0
  var isNegative = false
  /// Whether there were more than nineteen digits.
  var isLong = false
  /// Whether digits other than 0 were cut off behind the last one kept.
  var isCut = false

  init() {}

  /// Reads more digits than 64 bits hold; zeros at either end cost nothing.
  ///
  /// `nil` where the whole part alone is too long.
  init?(careful bytes: Span<UInt8>) {
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
        // The zeros that were put off count as soon as another digit follows.
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

  /// All of the mantissa.
  var wideMantissa: UInt128 { UInt128(upperMantissa) &<< 64 | UInt128(mantissa) }

  /// The value times a ratio of whole numbers up to 2048, rounded once.
  ///
  /// Up to 2^53 a quotient of two whole numbers is one correctly rounded division (W. Clinger,
  /// "How to Read Floating Point Numbers Accurately"); beyond, 128-bit integers do it. A negative
  /// zero is a zero.
  @inline(__always)
  func value(times multiplier: UInt64, over divisor: UInt64) -> Double {
    let exact: UInt64 = 1 &<< 53
    if mantissa < exact / multiplier, fractionCount <= 12, !isLong {
      let numerator = Double(mantissa &* multiplier)
      let magnitude = numerator / (Double(divisor) * PowerOfTen.double(fractionCount))
      return isNegative ? 0 - magnitude : magnitude
    }
    return slowValue(times: multiplier, over: divisor)
  }

  @inline(never)
  private func slowValue(times multiplier: UInt64, over divisor: UInt64) -> Double {
    let magnitude = Quotient.rounded(
      wideMantissa &* UInt128(multiplier),
      over: PowerOfTen.wide(fractionCount) &* UInt128(divisor), isCut: isCut)
    return isNegative ? 0 - magnitude : magnitude
  }
}
