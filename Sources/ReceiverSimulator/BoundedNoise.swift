// SPDX-License-Identifier: Apache-2.0

import Glibc
internal import SystemSupport

/// Bounded noise that is correlated in time, like the errors of a receiver.
struct BoundedNoise: Equatable, Sendable {
  /// The current value, within ±``bound``; its standard deviation over time is slightly below 1.
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

  /// Returns a normally distributed number, by the method of Box and Muller.
  private static func gaussian(_ random: inout SplitMix64) -> Double {
    // The argument of the logarithm is never 0, because the random number is below 1.
    let radius = (-2 * log(1 - random.unitInterval())).squareRoot()
    return radius * cos(2 * .pi * random.unitInterval())
  }
}
