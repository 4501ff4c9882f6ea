// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A check of JSON values against the schemas of an OpenAPI document.
///
/// Supports the keywords that `openapi.json` uses. A member that the schema does not list is a
/// fault, so that no member stays undocumented.
struct JSONSchema {
  private let document: [String: Any]
  private let schemas: [String: Any]

  init(_ text: Data) throws {
    let value = try JSONSerialization.jsonObject(with: text)
    document = value as? [String: Any] ?? [:]
    let components = document["components"] as? [String: Any]
    schemas = components?["schemas"] as? [String: Any] ?? [:]
  }

  /// The operations by path, with their methods in lower case.
  var paths: [String: [String: [String: Any]]] {
    document["paths"] as? [String: [String: [String: Any]]] ?? [:]
  }

  /// The names of the schemas.
  var names: Set<String> { Set(schemas.keys) }

  /// Returns the faults of a JSON text.
  func faults(of json: Data, as name: String) throws -> [String] {
    let value = try JSONSerialization.jsonObject(with: json)
    return check(value, ["$ref": "#/components/schemas/\(name)"], name)
  }

  private func check(_ value: Any, _ schema: [String: Any], _ path: String) -> [String] {
    if let reference = schema["$ref"] as? String {
      let name = String(reference.split(separator: "/").last ?? "")
      guard let target = schemas[name] as? [String: Any] else { return ["no schema \(name)"] }
      return check(value, target, path)
    }
    if let expected = schema["const"], !Self.isEqual(value, expected) {
      return ["\(path): \(value) is not \(expected)"]
    }
    if let choices = schema["enum"] as? [Any] {
      return choices.contains { Self.isEqual(value, $0) } ? [] : ["\(path): \(value)"]
    }
    let types = (schema["type"] as? [String]) ?? (schema["type"] as? String).map { [$0] } ?? []
    guard types.isEmpty || types.contains(where: { Self.has(value, type: $0) }) else {
      return ["\(path): \(value) is not of type \(types)"]
    }
    if let object = value as? [String: Any] { return check(object, schema, path) }
    if let array = value as? [Any] { return check(array, schema, path) }
    return check(format: value, schema, path)
  }

  private func check(_ object: [String: Any], _ schema: [String: Any], _ path: String) -> [String] {
    guard let properties = schema["properties"] as? [String: [String: Any]] else { return [] }
    let required = schema["required"] as? [String] ?? []
    let missing = required.filter { object[$0] == nil }.map { "\(path): no \($0)" }
    return missing
      + object.flatMap { name, value in
        properties[name].map { check(value, $0, "\(path).\(name)") }
          ?? ["\(path).\(name) is not documented"]
      }
  }

  private func check(_ array: [Any], _ schema: [String: Any], _ path: String) -> [String] {
    let counts = (schema["minItems"] as? Int ?? 0)...(schema["maxItems"] as? Int ?? .max)
    guard counts.contains(array.count) else { return ["\(path): \(array.count) items"] }
    guard let items = schema["items"] as? [String: Any] else { return [] }
    return array.enumerated().flatMap { check($1, items, "\(path)[\($0)]") }
  }

  private func check(format value: Any, _ schema: [String: Any], _ path: String) -> [String] {
    guard let text = value as? String else { return [] }
    let isValid =
      switch schema["format"] as? String {
      case "date-time": text.wholeMatch(of: #/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3,9}Z/#) != nil
      case "date": text.wholeMatch(of: #/\d{4}-\d\d-\d\d/#) != nil
      default: true
      }
    return isValid ? [] : ["\(path): \(text) has another format"]
  }

  private static func isEqual(_ first: Any, _ second: Any) -> Bool {
    (first as? NSObject) == (second as? NSObject)
  }

  private static func has(_ value: Any, type: String) -> Bool {
    switch type {
    case "string": value is String
    case "boolean": isBoolean(value)
    case "number": value is NSNumber && !isBoolean(value)
    case "integer": !isBoolean(value) && (value as? Double).map { $0 == $0.rounded() } ?? false
    case "array": value is [Any]
    case "object": value is [String: Any]
    default: false
    }
  }

  private static func isBoolean(_ value: Any) -> Bool {
    guard let number = value as? NSNumber else { return false }
    return String(cString: number.objCType) == "c" || String(cString: number.objCType) == "B"
  }
}
