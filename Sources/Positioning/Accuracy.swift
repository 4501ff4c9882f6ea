// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// An error estimate in metres with its confidence level.
///
/// Receivers state errors at different confidence levels (GST: one standard deviation, PGRME: 50 %,
/// gpsd: 95 %), so two errors are comparable only at the same level.
public struct Accuracy: Equatable, Hashable, Sendable {
  /// The origin of an error estimate.
  public enum Basis: UInt8, Equatable, Hashable, Sendable {
    /// Stated by the receiver (GST, GBS, PGRME, PSRFEPE, PUBX,00).
    case receiver
    /// Computed from a dilution of precision and a range error that is typical of the fix's status.
    case dilution
  }

  /// The radius or half-width in metres, 0 or more.
  public let meters: Double

  /// The probability that the true value is within ``meters``, in percent, 0 to 100.
  public let confidencePercent: Double

  /// The origin of the estimate.
  public let basis: Basis

  /// Makes an accuracy; `nil` if `meters` is negative, infinite or not a number.
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

  /// Decodes an accuracy.
  ///
  /// - Throws: `DecodingError` if a value is missing or `meters` is negative or not finite.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: Key.self)
    let meters = try values.decode(Double.self, forKey: .meters)
    let made = Accuracy(
      meters: meters,
      confidencePercent: try values.decode(Double.self, forKey: .confidencePercent),
      basis: try values.decode(Basis.self, forKey: .basis))
    guard let made else {
      throw DecodingError.dataCorruptedError(
        forKey: .meters, in: values, debugDescription: "\(meters) m is not a valid accuracy")
    }
    self = made
  }

  /// Encodes the accuracy.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: Key.self)
    try values.encode(meters, forKey: .meters)
    try values.encode(confidencePercent, forKey: .confidencePercent)
    try values.encode(basis, forKey: .basis)
  }
}

extension Accuracy {
  /// Converts a horizontal error radius to another confidence level.
  ///
  /// Assumes equal normal errors to the east and to the north, so that the distance is Rayleigh
  /// distributed: 50 % are within 1.177 standard deviations, 95 % within 2.448.
  ///
  /// - Parameter percent: The wanted confidence, above 0 and below 100.
  /// - Returns: The radius in metres; `nil` if the wanted or the stated confidence is out of range.
  public func horizontalMeters(atConfidencePercent percent: Double) -> Double? {
    if percent == confidencePercent { return meters }
    guard let wanted = Self.rayleigh(percent), let stated = Self.rayleigh(confidencePercent) else {
      return nil
    }
    return meters * wanted / stated
  }

  /// Converts a vertical error to another confidence level.
  ///
  /// Assumes a normal distribution: 50 % are within 0.674 standard deviations, 95 % within 1.960.
  ///
  /// - Parameter percent: The wanted confidence, above 0 and below 100.
  /// - Returns: The half-width in metres; `nil` if one of the confidences is out of range.
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

  /// Returns the two-sided quantile of the normal distribution, by Newton's method on `erf`.
  ///
  /// The steps from 0 approach the root without overshooting, because `erf` is concave above 0.
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
