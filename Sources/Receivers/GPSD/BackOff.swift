// SPDX-License-Identifier: Apache-2.0

/// How long to wait between attempts to reach something that is not there.
///
/// Doubles from ``firstNanoseconds`` to ``mostNanoseconds``, less a random part of up to half: a
/// server that comes back is not met by all its clients at once.
struct BackOff: Equatable, Sendable {
  var firstNanoseconds: Int64 = 100_000_000
  /// Short enough that a gpsd that is back is found before its receiver has a fix.
  var mostNanoseconds: Int64 = 2_000_000_000
  private(set) var attempts = 0

  /// The next wait.
  mutating func next(using generator: inout some RandomNumberGenerator) -> Int64 {
    // Shifted no further than it takes to reach the most.
    let doubled = firstNanoseconds << min(attempts, 16)
    let most = max(1, min(doubled, mostNanoseconds))
    attempts = min(attempts + 1, 16)
    return Int64.random(in: (most - most / 2)...most, using: &generator)
  }

  /// Takes it that an attempt has led to something.
  mutating func succeed() { attempts = 0 }
}
