// SPDX-License-Identifier: Apache-2.0

/// The dilutions of precision of a solution: unitless, smaller is better, unknown is `nil`.
///
/// Receivers send 99.99, 99.9 or 0.00 for "none"; those never get here.
public struct Dilution: Equatable, Hashable, Sendable {
  /// East-west.
  @Known public var x: Double?
  /// North-south.
  @Known public var y: Double?
  /// Horizontal (HDOP).
  @Known public var horizontal: Double?
  /// Vertical (VDOP).
  @Known public var vertical: Double?
  /// Position (PDOP).
  @Known public var position: Double?
  /// Time (TDOP).
  @Known public var time: Double?

  /// Makes a set in which nothing is known.
  public init() {}

  /// Takes what another set knows.
  mutating func merge(_ other: Dilution) {
    _x.update(from: other._x)
    _y.update(from: other._y)
    _horizontal.update(from: other._horizontal)
    _vertical.update(from: other._vertical)
    _position.update(from: other._position)
    _time.update(from: other._time)
  }
}
