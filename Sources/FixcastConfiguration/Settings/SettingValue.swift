// SPDX-License-Identifier: Apache-2.0

/// The value of a key.
///
/// Any text may be a secret. A printed value therefore shows its sort only;
/// ``SettingDeclaration/text(of:)`` shows the value where that is allowed.
package indirect enum SettingValue: Equatable, Sendable {
  case string(String)
  case integer(Int64)
  /// May be infinite or not a number.
  case number(Double)
  case boolean(Bool)
  case list([SettingValue])
  case table(SettingsTable)

  package var sort: String {
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
  /// Seconds, without the fraction of a whole number.
  static func seconds(_ number: Double) -> SettingValue {
    Int64(whole: number).map(SettingValue.integer) ?? .number(number)
  }
}

extension SettingValue: CustomStringConvertible, CustomReflectable {
  package var description: String { sort }

  package var customMirror: Mirror { Mirror(self, children: [], displayStyle: .enum) }
}

extension Int64 {
  /// Converts a whole number that a `Double` holds exactly.
  ///
  /// Unlike `init(exactly:)` it calls nothing of libm.
  init?(whole number: Double) {
    guard abs(number) < 9e15 else { return nil }
    let whole = Int64(number)
    guard Double(whole) == number else { return nil }
    self = whole
  }
}

/// A key or a password: printing it shows a mask.
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
