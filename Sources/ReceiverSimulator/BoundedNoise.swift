// SPDX-License-Identifier: Apache-2.0

import Glibc
internal import SystemSupport

/// An error that wanders like a receiver's: correlated in time, one on average, never beyond a
/// bound.
struct BoundedNoise: Equatable, Sendable {
  /// The present value, within ±``bound``; its standard deviation over time is a little below 1.
  private(set) var value: Double
  private let correlationSeconds: Double

  static let bound = 2.5

  init(correlationSeconds: Double, random: inout SplitMix64) {
    self.correlationSeconds = correlationSeconds
    value = Self.clamp(Self.gaussian(&random))
  }

  mutating func advance(bySeconds seconds: Double, random: inout SplitMix64) {
    let kept = exp(-seconds / correlationSeconds)
    let fresh = (1 - kept * kept).squareRoot()
    value = Self.clamp(kept * value + fresh * Self.gaussian(&random))
  }

  private static func clamp(_ value: Double) -> Double { max(-bound, min(bound, value)) }

  /// Box and Muller.
  private static func gaussian(_ random: inout SplitMix64) -> Double {
    // One minus a number below one is never zero, whose logarithm there is not.
    let radius = (-2 * log(1 - random.unitInterval())).squareRoot()
    return radius * cos(2 * .pi * random.unitInterval())
  }
}
