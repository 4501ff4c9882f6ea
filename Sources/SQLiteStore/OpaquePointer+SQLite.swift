// SPDX-License-Identifier: Apache-2.0

internal import CSQLite

/// Access to the parameters and columns of a prepared statement.
extension OpaquePointer {
  /// Binds a value to a parameter; the first parameter has index 1.
  func bind(_ value: SQLiteValue, at index: Int32) -> Int32 {
    switch value {
    case .null: sqlite3_bind_null(self, index)
    case .integer(let value): sqlite3_bind_int64(self, index, value)
    case .real(let value): sqlite3_bind_double(self, index, value)
    case .text(var value):
      value.withUTF8 { bytes in
        bytes.withMemoryRebound(to: CChar.self) { characters in
          // The clamping has no effect, because SQLite's limit is a gigabyte.
          fixcast_sqlite_bind_text(
            self, index, characters.baseAddress, Int32(clamping: characters.count))
        }
      }
    case .blob(let value):
      value.withUnsafeBytes {
        fixcast_sqlite_bind_blob(self, index, $0.baseAddress, Int32(clamping: $0.count))
      }
    }
  }

  /// Returns the value of a column in the current row; the first column has index 0.
  func column(_ index: Int32) -> SQLiteValue {
    switch sqlite3_column_type(self, index) {
    case SQLITE_INTEGER: .integer(sqlite3_column_int64(self, index))
    case SQLITE_FLOAT: .real(sqlite3_column_double(self, index))
    case SQLITE_TEXT: .text(String(decoding: bytes(index), as: UTF8.self))
    case SQLITE_BLOB: .blob(Array(bytes(index)))
    default: .null
    }
  }

  private func bytes(_ index: Int32) -> UnsafeRawBufferPointer {
    // SQLite's documentation requires this order of calls.
    let start = sqlite3_column_blob(self, index)
    let count = Int(sqlite3_column_bytes(self, index))
    return UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count)
  }
}
