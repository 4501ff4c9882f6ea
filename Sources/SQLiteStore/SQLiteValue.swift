// SPDX-License-Identifier: Apache-2.0

/// A value in a column or of a parameter.
package enum SQLiteValue: Equatable, Hashable, Sendable {
  /// No value.
  case null
  /// A whole number.
  case integer(Int64)
  /// A number; NaN is stored as no value, since SQLite has none.
  case real(Double)
  /// Text in UTF-8; what is none is mended with replacement characters.
  case text(String)
  /// Bytes.
  case blob([UInt8])

  /// The whole number, where it is one.
  package var integer: Int64? {
    if case .integer(let value) = self { value } else { nil }
  }

  /// The number, where it is one, whole ones among them.
  package var real: Double? {
    switch self {
    case .real(let value): value
    case .integer(let value): Double(value)
    case .null, .text, .blob: nil
    }
  }

  /// The text, where it is one.
  package var text: String? {
    if case .text(let value) = self { value } else { nil }
  }

  /// The bytes, where they are.
  package var blob: [UInt8]? {
    if case .blob(let value) = self { value } else { nil }
  }
}
