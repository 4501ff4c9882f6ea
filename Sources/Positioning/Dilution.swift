// SPDX-License-Identifier: Apache-2.0

/// The dilutions of precision of a solution: unitless, smaller is better, unknown is `nil`.
///
/// Receivers send 99.99, 99.9 or 0.00 for "none"; those never get here.
public struct Dilution: Equatable, Hashable, Codable, Sendable {
  /// East-west.
  public var x: Double?
  /// North-south.
  public var y: Double?
  /// Horizontal (HDOP).
  public var horizontal: Double?
  /// Vertical (VDOP).
  public var vertical: Double?
  /// Position (PDOP).
  public var position: Double?
  /// Time (TDOP).
  public var time: Double?

  /// Makes a set in which nothing is known.
  public init() {}
}
