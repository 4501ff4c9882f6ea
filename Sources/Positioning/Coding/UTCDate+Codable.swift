// SPDX-License-Identifier: Apache-2.0

extension UTCDate: Codable {
  /// Reads days since 1970-01-01.
  ///
  /// - Parameter decoder: Where from.
  /// - Throws: `DecodingError` where there is no whole number of 32 bits.
  public init(from decoder: any Decoder) throws {
    self.init(daysSince1970: try decoder.singleValueContainer().decode(Int32.self))
  }

  /// Writes days since 1970-01-01.
  ///
  /// - Parameter encoder: Where to.
  /// - Throws: What the encoder throws.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(daysSince1970)
  }
}
