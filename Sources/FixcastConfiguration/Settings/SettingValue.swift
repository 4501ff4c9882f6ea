// SPDX-License-Identifier: Apache-2.0

/// The value of a key.
///
/// Any text may be a secret, so printing a value shows only its type. Use
/// ``SettingDeclaration/text(of:)`` to show a value that is not secret.
package indirect enum SettingValue: Equatable, Sendable {
  case string(String)
  case integer(Int64)
  /// A number, possibly infinite or NaN.
  case number(Double)
  case boolean(Bool)
  case list([SettingValue])
  case table(SettingsTable)

  package var typeName: String {
    switch self {
    case .string: "text in quotes"
    case .integer: "a whole number"
    case .number: "a number"
    case .boolean: "true or false"
    case .list: "a list"
    case .table: "a table"
    }
  }

  var asString: String? { if case .string(let text) = self { text } else { nil } }

  var asTable: SettingsTable? { if case .table(let table) = self { table } else { nil } }

  var asNumber: Double? {
    switch self {
    case .integer(let value): Double(value)
    case .number(let value): value
    default: nil
    }
  }
}

extension SettingValue {
  /// Returns a setting value for a number of seconds: an integer if the number is whole.
  static func seconds(_ number: Double) -> SettingValue {
    Int64(whole: number).map(SettingValue.integer) ?? .number(number)
  }
}

extension SettingValue: CustomStringConvertible, CustomReflectable {
  package var description: String { typeName }

  package var customMirror: Mirror { Mirror(self, children: [], displayStyle: .enum) }
}

extension Int64 {
  /// Converts a whole number; returns `nil` for fractions and for magnitudes of 9e15 or more.
  ///
  /// Unlike `init(exactly:)`, this initializer does not need libm.
  init?(whole number: Double) {
    guard abs(number) < 9e15 else { return nil }
    let whole = Int64(number)
    guard Double(whole) == number else { return nil }
    self = whole
  }
}

/// A secret, such as an API key; printing a secret shows a mask.
package struct Secret: Hashable, Sendable {
  package let exposed: String

  package init(_ exposed: String) { self.exposed = exposed }

  package static let mask = "(secret)"
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  package var description: String { Self.mask }
  package var debugDescription: String { Self.mask }
  package var customMirror: Mirror { Mirror(self, children: []) }
}
