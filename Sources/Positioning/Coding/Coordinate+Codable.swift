// SPDX-License-Identifier: Apache-2.0

extension Coordinate: Codable {
  private enum Key: String, CodingKey { case latitudeDegrees, longitudeDegrees }

  /// Reads a coordinate; one that is not on the globe is an error, as it is `nil` elsewhere.
  ///
  /// - Parameter decoder: Where from.
  /// - Throws: `DecodingError` where a degree is missing, no number, or beyond the globe.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: Key.self)
    let latitude = try values.decode(Double.self, forKey: .latitudeDegrees)
    let longitude = try values.decode(Double.self, forKey: .longitudeDegrees)
    guard let made = Coordinate(latitudeDegrees: latitude, longitudeDegrees: longitude) else {
      throw DecodingError.dataCorruptedError(
        forKey: .latitudeDegrees, in: values,
        debugDescription: "\(latitude), \(longitude) is not on the globe")
    }
    self = made
  }

  /// Writes both degrees.
  ///
  /// - Parameter encoder: Where to.
  /// - Throws: What the encoder throws.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: Key.self)
    try values.encode(latitudeDegrees, forKey: .latitudeDegrees)
    try values.encode(longitudeDegrees, forKey: .longitudeDegrees)
  }
}
