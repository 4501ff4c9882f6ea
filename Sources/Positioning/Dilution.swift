// SPDX-License-Identifier: Apache-2.0

/// The dilutions of precision of a solution: unitless; smaller is better; `nil` if unknown.
///
/// Receivers send 99.99, 99.9 or 0.00 for an unknown dilution, which is stored as `nil`.
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

  /// Makes a set of unknown dilutions.
  public init() {}

  /// Copies the known dilutions of another set.
  mutating func merge(_ other: Dilution) {
    _x.update(from: other._x)
    _y.update(from: other._y)
    _horizontal.update(from: other._horizontal)
    _vertical.update(from: other._vertical)
    _position.update(from: other._position)
    _time.update(from: other._time)
  }
}

extension Dilution: Codable {
  private enum Key: String, CodingKey { case x, y, horizontal, vertical, position, time }

  /// Decodes a set; a missing value is unknown.
  ///
  /// - Throws: `DecodingError` if a value is not a number.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: Key.self)
    x = try values.decodeIfPresent(Double.self, forKey: .x)
    y = try values.decodeIfPresent(Double.self, forKey: .y)
    horizontal = try values.decodeIfPresent(Double.self, forKey: .horizontal)
    vertical = try values.decodeIfPresent(Double.self, forKey: .vertical)
    position = try values.decodeIfPresent(Double.self, forKey: .position)
    time = try values.decodeIfPresent(Double.self, forKey: .time)
  }

  /// Encodes the known dilutions.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: Key.self)
    try values.encodeIfPresent(x, forKey: .x)
    try values.encodeIfPresent(y, forKey: .y)
    try values.encodeIfPresent(horizontal, forKey: .horizontal)
    try values.encodeIfPresent(vertical, forKey: .vertical)
    try values.encodeIfPresent(position, forKey: .position)
    try values.encodeIfPresent(time, forKey: .time)
  }
}
