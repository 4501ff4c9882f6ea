// SPDX-License-Identifier: Apache-2.0

/// The waits between attempts to reach something that is not there.
///
/// They double from the first to the most, less a random part of up to half, so that clients do not
/// return to a server all at once.
package struct BackOff: Equatable, Sendable {
  private let firstNanoseconds: Int64
  private let maxNanoseconds: Int64
  package private(set) var attempts = 0

  package init(firstNanoseconds: Int64, maxNanoseconds: Int64) {
    self.firstNanoseconds = firstNanoseconds
    self.maxNanoseconds = maxNanoseconds
  }

  /// The next wait.
  package mutating func next(using generator: inout some RandomNumberGenerator) -> Int64 {
    // Shifted no further than it takes to reach the most.
    let doubled = firstNanoseconds << min(attempts, 16)
    let most = max(1, min(doubled, maxNanoseconds))
    attempts = min(attempts + 1, 16)
    return Int64.random(in: (most - most / 2)...most, using: &generator)
  }

  /// Begins anew after an attempt that succeeded.
  package mutating func succeed() { attempts = 0 }
}
