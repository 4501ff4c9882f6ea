// SPDX-License-Identifier: Apache-2.0

/// A small random number generator whose sequence depends only on the seed, on every machine.
///
/// G. L. Steele et al., "Fast Splittable Pseudorandom Number Generators" (2014). Use it for
/// simulation and tests, not for secrets.
public struct SplitMix64: RandomNumberGenerator, Equatable, Sendable {
  private var state: UInt64

  /// Makes a generator; any seed is valid.
  public init(seed: UInt64) { state = seed }

  /// Returns the next 64 random bits.
  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  /// Returns a uniformly distributed number from 0 to below 1, one of 2^53 values.
  public mutating func unitInterval() -> Double { Double(next() >> 11) * 0x1p-53 }
}
