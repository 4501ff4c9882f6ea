// SPDX-License-Identifier: Apache-2.0

/// Exponential back-off between attempts.
///
/// The delay doubles up to a maximum. Up to half of the delay is subtracted at random, so that
/// clients do not all return to a server at the same time.
package struct BackOff: Equatable, Sendable {
  private let firstNanoseconds: Int64
  private let maxNanoseconds: Int64
  package private(set) var attempts = 0

  package init(firstNanoseconds: Int64, maxNanoseconds: Int64) {
    self.firstNanoseconds = firstNanoseconds
    self.maxNanoseconds = maxNanoseconds
  }

  /// Returns the next delay in nanoseconds.
  package mutating func next(using generator: inout some RandomNumberGenerator) -> Int64 {
    // The shift is limited to avoid an overflow.
    let doubled = firstNanoseconds << min(attempts, 16)
    let longest = max(1, min(doubled, maxNanoseconds))
    attempts = min(attempts + 1, 16)
    return Int64.random(in: (longest - longest / 2)...longest, using: &generator)
  }

  /// Resets the delay after a successful attempt.
  package mutating func succeed() { attempts = 0 }
}
