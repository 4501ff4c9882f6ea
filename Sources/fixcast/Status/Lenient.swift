// SPDX-License-Identifier: Apache-2.0

/// A decoded value that is `nil` if its key is missing or its value has another type.
///
/// A daemon of another version may omit keys, add keys, or change the type of a value.
@propertyWrapper
struct Lenient<Value: Decodable>: Decodable {
  var wrappedValue: Value?

  init(wrappedValue: Value?) { self.wrappedValue = wrappedValue }

  init(from decoder: any Decoder) { wrappedValue = try? Value(from: decoder) }
}

extension KeyedDecodingContainer {
  /// Replaces the standard library's method, which throws if the key is missing.
  func decode<Value>(_ type: Lenient<Value>.Type, forKey key: Key) -> Lenient<Value> {
    Lenient(wrappedValue: try? decodeIfPresent(Value.self, forKey: key))
  }
}
