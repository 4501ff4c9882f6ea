// SPDX-License-Identifier: Apache-2.0

/// A value of a column or parameter.
package enum SQLiteValue: Equatable, Hashable, Sendable {
  /// NULL.
  case null
  /// A whole number.
  case integer(Int64)
  /// A floating-point number; NaN is stored as NULL, because SQLite has no NaN.
  case real(Double)
  /// UTF-8 text; invalid bytes are replaced by replacement characters.
  case text(String)
  /// Bytes.
  case blob([UInt8])

  /// The whole number; `nil` for other values.
  package var integer: Int64? {
    if case .integer(let value) = self { value } else { nil }
  }

  /// The number, including a whole number; `nil` for other values.
  package var real: Double? {
    switch self {
    case .real(let value): value
    case .integer(let value): Double(value)
    case .null, .text, .blob: nil
    }
  }

  /// The text; `nil` for other values.
  package var text: String? {
    if case .text(let value) = self { value } else { nil }
  }

  /// The bytes; `nil` for other values.
  package var blob: [UInt8]? {
    if case .blob(let value) = self { value } else { nil }
  }
}
