// SPDX-License-Identifier: Apache-2.0

/// The declaration of a key, independent of its Swift type.
///
/// Used for validation, the reference and the default file.
package struct SettingDeclaration: Sendable {
  /// The name in snake case, with the unit at the end: `interval_seconds`.
  package let name: String
  package let kind: SettingKind
  /// A phrase without a period at the end.
  package let summary: String
  package let defaultValue: SettingValue?
  package internal(set) var isRequired: Bool
  /// Whether errors and `check-config --show` hide the value.
  package let isSecret: Bool
  /// The value that the reference shows if there is no default.
  package internal(set) var example: SettingValue?

  package init(
    name: String, kind: SettingKind, summary: String, defaultValue: SettingValue? = nil,
    isRequired: Bool = false, isSecret: Bool = false, example: SettingValue? = nil
  ) {
    self.name = name
    self.kind = kind
    self.summary = summary
    self.defaultValue = defaultValue
    self.isRequired = isRequired
    self.isSecret = isSecret
    self.example = example
  }

  /// Returns the value in TOML; a secret is masked unless it equals the default.
  package func text(of value: SettingValue) -> String {
    isSecret && value != defaultValue ? Secret.mask : value.literal
  }
}

extension SettingValue {
  /// The value in TOML, including secrets.
  package var literal: String {
    switch self {
    case .string(let text): Self.quoted(text)
    case .integer(let number): String(number)
    case .number(let number): Self.literal(number)
    case .boolean(let flag): String(flag)
    case .list(let values): "[" + values.map(\.literal).joined(separator: ", ") + "]"
    case .table(let table):
      "{ "
        + table.entries.map { "\(Self.key($0.name)) = \($0.value.literal)" }
        .joined(separator: ", ") + " }"
    }
  }

  /// Returns a key in TOML, without quotes if possible.
  package static func key(_ name: String) -> String {
    let isBare = name.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
        true
      default: false
      }
    }
    return isBare && !name.isEmpty ? name : quoted(name)
  }

  private static func literal(_ number: Double) -> String {
    if number.isNaN { return "nan" }
    if number.isInfinite { return number < 0 ? "-inf" : "inf" }
    return "\(number)"
  }

  /// Returns the text in quotes, with control characters escaped.
  static func quoted(_ text: String) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": quoted += "\\\""
      case "\\": quoted += "\\\\"
      case "\n": quoted += "\\n"
      case "\t": quoted += "\\t"
      case _ where scalar.value < 0x20 || (0x7F..<0xA0).contains(scalar.value):
        let digits = String(scalar.value, radix: 16)
        quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "\""
  }
}
