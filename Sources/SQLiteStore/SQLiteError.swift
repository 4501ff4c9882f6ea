// SPDX-License-Identifier: Apache-2.0

/// Why a database did not do what it was asked.
package enum SQLiteError: Error, Equatable, Sendable {
  /// The file is no database, or not a whole one.
  case damaged(path: String, reason: String)
  /// The file was written by a newer version of the program.
  case tooNew(path: String, version: Int, known: Int)
  /// The disk is full, or the file may not grow further.
  case full(path: String)
  /// Another program holds the database for longer than was waited.
  case busy(path: String)
  /// The file cannot be opened or written: who says so, in SQLite's words.
  case unusable(path: String, reason: String)
  /// A statement is wrong, or has not the columns that were asked for: a fault of the program.
  case statement(sql: String, reason: String)
}

extension SQLiteError: CustomStringConvertible {
  /// The error in a sentence.
  package var description: String {
    switch self {
    case .damaged(let path, let reason): "\(path): damaged: \(reason)"
    case .tooNew(let path, let version, let known):
      "\(path): written by a newer fixcast (layout \(version), this one knows \(known))"
    case .full(let path): "\(path): the disk is full"
    case .busy(let path): "\(path): held by another program"
    case .unusable(let path, let reason): "\(path): \(reason)"
    case .statement(let sql, let reason): "SQL \"\(sql)\": \(reason)"
    }
  }
}
