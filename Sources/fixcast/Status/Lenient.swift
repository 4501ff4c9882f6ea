// SPDX-License-Identifier: Apache-2.0

/// A value of an object that is `nil` where it is missing or of another type.
///
/// A daemon of another version may leave anything out, add more, or mean something else by a key:
/// what is not understood is unknown.
@propertyWrapper
struct Lenient<Value: Decodable>: Decodable {
  var wrappedValue: Value?

  init(wrappedValue: Value?) { self.wrappedValue = wrappedValue }

  init(from decoder: any Decoder) { wrappedValue = try? Value(from: decoder) }
}

extension KeyedDecodingContainer {
  /// Takes the place of the standard library's method, which throws where the key is missing.
  func decode<Value>(_ type: Lenient<Value>.Type, forKey key: Key) -> Lenient<Value> {
    Lenient(wrappedValue: try? decodeIfPresent(Value.self, forKey: key))
  }
}
