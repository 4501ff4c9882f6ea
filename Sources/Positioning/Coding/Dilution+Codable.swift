// SPDX-License-Identifier: Apache-2.0

extension Dilution: Codable {
  private enum Key: String, CodingKey { case x, y, horizontal, vertical, position, time }

  /// Reads a set; what is missing is unknown.
  ///
  /// - Parameter decoder: Where from.
  /// - Throws: `DecodingError` where a value is not a number.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: Key.self)
    self.init()
    x = try values.decodeIfPresent(Double.self, forKey: .x)
    y = try values.decodeIfPresent(Double.self, forKey: .y)
    horizontal = try values.decodeIfPresent(Double.self, forKey: .horizontal)
    vertical = try values.decodeIfPresent(Double.self, forKey: .vertical)
    position = try values.decodeIfPresent(Double.self, forKey: .position)
    time = try values.decodeIfPresent(Double.self, forKey: .time)
  }

  /// Writes what is known.
  ///
  /// - Parameter encoder: Where to.
  /// - Throws: What the encoder throws.
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
