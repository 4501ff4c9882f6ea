// SPDX-License-Identifier: Apache-2.0

/// A value with its unit, or a bare one.
struct NWSValue: Decodable, Equatable {
  var value: Double?
  var unitCode: String?

  private enum Key: String, CodingKey { case value, unitCode }

  init(from decoder: any Decoder) throws {
    if let bare = try? decoder.singleValueContainer().decode(Double.self) {
      value = bare
      return
    }
    let values = try decoder.container(keyedBy: Key.self)
    value = try values.decodeIfPresent(Double.self, forKey: .value)
    unitCode = try values.decodeIfPresent(String.self, forKey: .unitCode)
  }
}
