// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// How far off a value may be, and how often it is that good.
///
/// Receivers state errors at different confidence levels (GST: one standard deviation, PGRME:
/// 50 %, gpsd: 95 %), so a figure without its level cannot be compared with another.
public struct Accuracy: Equatable, Hashable, Sendable {
  /// Where the figure comes from, from the receiver's own word to a rule of thumb.
  public enum Basis: UInt8, Equatable, Hashable, Sendable {
    /// The receiver stated it (GST, GBS, PGRME, PSRFEPE, PUBX,00).
    case receiver
    /// Computed from a dilution of precision and a range error that is typical of the fix's status.
    case dilution
  }

  /// The radius or half-width in metres, 0 or more.
  public let meters: Double

  /// How often the truth lies within ``meters``, in percent, 0 to 100.
  public let confidencePercent: Double

  /// Where the figure comes from.
  public let basis: Basis

  /// Makes an accuracy.
  ///
  /// Gives `nil` where the figure is negative, infinite or not a number.
  ///
  /// - Parameters:
  ///   - meters: The radius or half-width.
  ///   - confidencePercent: How often the truth lies within it.
  ///   - basis: Where the figure comes from.
  public init?(meters: Double, confidencePercent: Double, basis: Basis) {
    guard meters >= 0, meters.isFinite else { return nil }
    self.meters = meters
    self.confidencePercent = confidencePercent
    self.basis = basis
  }
}

extension Accuracy.Basis: Codable {}

extension Accuracy: Codable {
  private enum Key: String, CodingKey { case meters, confidencePercent, basis }

  /// Reads an accuracy.
  ///
  /// - Parameter decoder: Where from.
  /// - Throws: `DecodingError` where a part is missing or the figure cannot be one.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: Key.self)
    let meters = try values.decode(Double.self, forKey: .meters)
    let made = Accuracy(
      meters: meters,
      confidencePercent: try values.decode(Double.self, forKey: .confidencePercent),
      basis: try values.decode(Basis.self, forKey: .basis))
    guard let made else {
      throw DecodingError.dataCorruptedError(
        forKey: .meters, in: values, debugDescription: "no accuracy is \(meters) m")
    }
    self = made
  }

  /// Writes the figure, its confidence and its basis.
  ///
  /// - Parameter encoder: Where to.
  /// - Throws: What the encoder throws.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: Key.self)
    try values.encode(meters, forKey: .meters)
    try values.encode(confidencePercent, forKey: .confidencePercent)
    try values.encode(basis, forKey: .basis)
  }
}

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
