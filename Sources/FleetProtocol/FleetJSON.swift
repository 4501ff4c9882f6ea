// SPDX-License-Identifier: Apache-2.0

internal import FoundationEssentials

/// The JSON coding of all messages of the fleet protocol.
enum FleetJSON {
  private struct Version: Decodable { var v: Int? }

  /// Returns the message; empty if it contains a number that is not finite.
  static func encode(_ value: some Encodable) -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return (try? encoder.encode(value)).map { Array($0) } ?? []
  }

  /// Decodes a message of a limited size; a message without `v` has version 1.
  static func decode<Value: Decodable>(_ json: [UInt8]) throws(FleetError) -> Value {
    guard json.count <= FleetBatch.maxBytes else { throw .tooLarge(bytes: json.count) }
    let (decoder, data) = (JSONDecoder(), Data(json))
    guard let version = try? decoder.decode(Version.self, from: data) else { throw .malformed }
    guard version.v ?? 1 == FleetBatch.version else {
      throw .unsupportedVersion(version.v ?? 0)
    }
    guard let value = try? decoder.decode(Value.self, from: data) else { throw .malformed }
    return value
  }
}

/// Two values whose members are in the same JSON object.
struct FlatPair<First: Codable, Second: Codable>: Codable {
  var first: First
  var second: Second

  init(first: First, second: Second) { (self.first, self.second) = (first, second) }

  init(from decoder: any Decoder) throws {
    (first, second) = (try First(from: decoder), try Second(from: decoder))
  }

  func encode(to encoder: any Encoder) throws {
    try first.encode(to: encoder)
    try second.encode(to: encoder)
  }
}
