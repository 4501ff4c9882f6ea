// SPDX-License-Identifier: Apache-2.0

/// Exact powers of ten.
enum PowerOfTen {
  /// Returns 10^exponent; 10^19 for exponents outside 0 to 18.
  ///
  /// The compiler turns a switch over constants into a table that needs no initializer.
  @inline(__always)
  static func integer(_ exponent: Int) -> UInt64 {
    switch exponent {
    case 0: 1
    case 1: 10
    case 2: 100
    case 3: 1000
    case 4: 10000
    case 5: 100000
    case 6: 1_000_000
    case 7: 10_000_000
    case 8: 100_000_000
    case 9: 1_000_000_000
    case 10: 10_000_000_000
    case 11: 100_000_000_000
    case 12: 1_000_000_000_000
    case 13: 10_000_000_000_000
    case 14: 100_000_000_000_000
    case 15: 1_000_000_000_000_000
    case 16: 10_000_000_000_000_000
    case 17: 100_000_000_000_000_000
    case 18: 1_000_000_000_000_000_000
    default: 10_000_000_000_000_000_000
    }
  }

  /// Returns 10^exponent; the exponent is clamped to 0 to 38.
  static func wide(_ exponent: Int) -> UInt128 {
    var power: UInt128 = 1
    for _ in 0..<min(max(exponent, 0), 38) { power = power &* 10 }
    return power
  }

  /// Returns 10^exponent; 10^12 for exponents outside 0 to 11.
  @inline(__always)
  static func double(_ exponent: Int) -> Double {
    switch exponent {
    case 0: 1
    case 1: 1e1
    case 2: 1e2
    case 3: 1e3
    case 4: 1e4
    case 5: 1e5
    case 6: 1e6
    case 7: 1e7
    case 8: 1e8
    case 9: 1e9
    case 10: 1e10
    case 11: 1e11
    default: 1e12
    }
  }
}
