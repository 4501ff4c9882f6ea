// SPDX-License-Identifier: Apache-2.0

package import SystemSupport

/// An error of a database.
package enum SQLiteError: Error, Equatable, Sendable {
  /// The file is not a database, or is damaged.
  case damaged(path: String, reason: String)
  /// A newer version of the program wrote the file; `known` is the newest supported version.
  case tooNew(path: String, version: Int, known: Int)
  /// The disk is full, or the file may not grow further.
  case full(path: String)
  /// Another program locks the database for longer than the timeout.
  case busy(path: String)
  /// Another program moved, removed, replaced or truncated the file, and the database was closed.
  case displaced(path: String, HeldFile.Change)
  /// The file cannot be opened or written; `reason` is SQLite's or this module's text.
  case unusable(path: String, reason: String)
  /// A statement is invalid or does not match its parameters: a bug in the program.
  case statement(sql: String, reason: String)

  /// Whether the owner of the database must close it and open it again.
  package var needsReopening: Bool {
    switch self {
    case .damaged, .displaced: true
    case .tooNew, .full, .busy, .unusable, .statement: false
    }
  }
}

extension SQLiteError: CustomStringConvertible {
  /// The error as text for a log.
  package var description: String {
    switch self {
    case .damaged(let path, let reason): "\(path): damaged: \(reason)"
    case .tooNew(let path, let version, let known):
      "\(path): written by a newer fixcast (layout \(version), this one supports \(known))"
    case .full(let path): "\(path): the disk is full"
    case .busy(let path): "\(path): locked by another program"
    case .displaced(let path, let change): change.message(for: path)
    case .unusable(let path, let reason): "\(path): \(reason)"
    case .statement(let sql, let reason): "SQL \"\(sql)\": \(reason)"
    }
  }
}
