// SPDX-License-Identifier: Apache-2.0

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
