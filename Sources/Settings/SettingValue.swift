// SPDX-License-Identifier: Apache-2.0

/// What stands behind a key.
///
/// Any text may be a secret, and only a declaration knows which: printing a value names its sort and
/// never what it holds. ``SettingDeclaration/text(of:)`` writes what may be read.
public indirect enum SettingValue: Equatable, Sendable {
  /// Text.
  case string(String)
  /// A whole number.
  case integer(Int64)
  /// A number; may be infinite or not a number, where the file said so.
  case number(Double)
  /// `true` or `false`.
  case boolean(Bool)
  /// Values in order, of one sort or several.
  case list([SettingValue])
  /// Keys and their values.
  case table(SettingsTable)

  /// What sort of value it is, as an error names it.
  public var sort: String {
    switch self {
    case .string: "text in quotes"
    case .integer: "a whole number"
    case .number: "a number"
    case .boolean: "true or false"
    case .list: "a list"
    case .table: "a table"
    }
  }

  /// The number, whole or not.
  var asNumber: Double? {
    switch self {
    case .integer(let value): Double(value)
    case .number(let value): value
    default: nil
    }
  }
}

extension SettingValue: CustomStringConvertible, CustomReflectable {
  /// The sort of value.
  public var description: String { sort }

  /// Nothing that could be dumped.
  public var customMirror: Mirror { Mirror(self, children: [], displayStyle: .enum) }
}

extension Int64 {
  /// A number without a fraction; `nil` for another, and for one that a `Double` cannot count to.
  ///
  /// Unlike `init(exactly:)` it calls nothing of libm, which who links this module alone would lack.
  init?(whole number: Double) {
    guard abs(number) < 9e15 else { return nil }
    let whole = Int64(number)
    guard Double(whole) == number else { return nil }
    self = whole
  }
}
