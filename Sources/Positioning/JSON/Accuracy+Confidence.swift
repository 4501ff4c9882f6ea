// SPDX-License-Identifier: Apache-2.0

internal import Glibc

extension Accuracy {
  /// The radius within which a position lies with the given confidence.
  ///
  /// Assumes that east and north err alike and normally, so that the distance is Rayleigh
  /// distributed: 1.177 standard deviations hold 50 %, 2.448 hold 95 %.
  ///
  /// - Parameter percent: The confidence wanted, above 0 and below 100.
  /// - Returns: Metres; `nil` where either confidence is out of range.
  public func horizontalMeters(atConfidencePercent percent: Double) -> Double? {
    if percent == confidencePercent { return meters }
    guard let wanted = Self.rayleigh(percent), let stated = Self.rayleigh(confidencePercent) else {
      return nil
    }
    return meters * wanted / stated
  }

  /// The half-width within which a height lies with the given confidence.
  ///
  /// Assumes a normal distribution: 0.674 standard deviations hold 50 %, 1.960 hold 95 %.
  ///
  /// - Parameter percent: The confidence wanted, above 0 and below 100.
  /// - Returns: Metres; `nil` where either confidence is out of range.
  public func verticalMeters(atConfidencePercent percent: Double) -> Double? {
    if percent == confidencePercent { return meters }
    guard let wanted = Self.normal(percent), let stated = Self.normal(confidencePercent) else {
      return nil
    }
    return meters * wanted / stated
  }

  private static func rayleigh(_ percent: Double) -> Double? {
    guard percent > 0, percent < 100 else { return nil }
    return (-2 * log(1 - percent / 100)).squareRoot()
  }

  /// The two-sided quantile of the normal distribution, by Newton's method on `erf`.
  ///
  /// From 0 the steps climb towards the root without passing it, since `erf` is concave there.
  private static func normal(_ percent: Double) -> Double? {
    guard percent > 0, percent < 100 else { return nil }
    let target = percent / 100
    var x = 0.0
    for _ in 0..<60 {
      let step = (target - erf(x)) * Double.pi.squareRoot() / 2 * exp(x * x)
      x += step
      if abs(step) < 1e-14 { break }
    }
    return x * 2.0.squareRoot()
  }
}
