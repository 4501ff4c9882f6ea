// SPDX-License-Identifier: Apache-2.0

import NMEA
import Testing

/// A sentence and its expected fields.
struct SentenceCase: CustomTestStringConvertible, Sendable {
  /// The sentence with checksum.
  var text: String
  /// The type of the sentence, and the names and values of its known fields.
  var expected: [String]

  /// Makes a case from a sentence, whose `$` and checksum may be left out, the name of its case in `Sentence`, and the
  /// values of all known fields by their names.
  init(_ sentence: String, _ type: String, _ fields: [String: Any]) {
    text = sentence.hasPrefix("$") || sentence.hasPrefix("#") ? sentence : line(sentence)
    expected = [type] + fields.compactMap { Self.text(of: $0, $1) }.sorted()
  }

  var testDescription: String { text }

  /// Checks that the sentence is read without an error, and that exactly the expected fields are known.
  func check() {
    let reading = Reading(text + "\r\n")
    #expect(reading.errors.isEmpty)
    #expect(reading.sentences.flatMap(Self.texts) == expected, "\(text)")
  }

  /// Returns the type of a sentence, and the names and values of its known fields.
  private static func texts(of sentence: Sentence) -> [String] {
    guard let (type, fields) = Mirror(reflecting: sentence).children.first, let type else { return [] }
    let values = Mirror(reflecting: fields).children
    return [type] + values.compactMap { text(of: $0.label ?? "", $0.value) }.sorted()
  }

  /// Returns the name and the value of a field; `nil` if it is unknown.
  private static func text(of name: String, _ value: Any) -> String? {
    // The stored property of a `Known` number is named with an underscore.
    text(of: value).map { "\(name.drop { $0 == "_" }): \($0)" }
  }

  /// Returns a value as text that differs for different values of a type; `nil` if it is unknown.
  private static func text(of value: Any) -> String? {
    let mirror = Mirror(reflecting: value)
    if mirror.displayStyle == .optional { return mirror.children.first.flatMap { text(of: $0.value) } }
    switch value {
    case let number as Known: return number.wrappedValue.map { "\($0)" }
    case let string as String: return string
    case let values as any Collection: return "\(texts(of: values))"
    case let measurement as TransducerMeasurement:
      let unit = measurement.unit.map { String(UnicodeScalar($0)) } ?? "-"
      let number = measurement.value.map { "\($0)" } ?? "-"
      return "\(UnicodeScalar(measurement.type)) \(number) \(unit) \(measurement.name)"
    default: return "\(value)"
    }
  }

  private static func texts(of values: some Collection) -> [String] { values.map { text(of: $0) ?? "-" } }
}

/// The tested sentences of one type, and sentences with a malformed field.
struct SentenceTable: Sendable {
  var cases: [SentenceCase]
  var flaws: [Flaw]

  init(_ type: String, _ cases: KeyValuePairs<String, [String: Any]>, flaws: [Flaw] = []) {
    self.cases = cases.map { SentenceCase($0, type, $1) }
    self.flaws = flaws
  }
}
