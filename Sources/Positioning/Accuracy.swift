// SPDX-License-Identifier: Apache-2.0

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
