// SPDX-License-Identifier: Apache-2.0

/// A failed connection or statement.
enum PostgresError: Error, Equatable {
  /// The server is not reachable, or rejects the connection.
  case connection(reason: String)
  /// The connection was lost; the outcome of the running transaction is unknown.
  case lost(reason: String)
  /// The server rejected a statement; `state` is the SQLSTATE.
  case statement(state: String, reason: String)
  /// The tables are of a newer version of this program.
  case tooNew(version: Int, known: Int)
  /// The tables are missing or of an older version of this program.
  case tooOld(version: Int, needed: Int)

  /// The SQLSTATEs that only the administrator can fix: 42501 missing privilege, 42P01 missing
  /// table, 42703 missing column, 3F000 missing schema.
  private static let permanentStates = ["42501", "42P01", "42703", "3F000"]

  /// Whether a new connection may succeed without a change by the administrator.
  ///
  /// A server that has become a read-only standby, for example, may be the primary again later.
  var isTransient: Bool {
    switch self {
    case .connection, .lost: true
    case .statement(let state, _): !Self.permanentStates.contains(state)
    case .tooNew, .tooOld: false
    }
  }

  /// Whether the server rejects a value, so that the same statement always fails.
  ///
  /// SQLSTATE classes: 22 data exception, 23 integrity constraint violation.
  var isDataError: Bool {
    if case .statement(let state, _) = self { return ["22", "23"].contains(state.prefix(2)) }
    return false
  }
}

extension PostgresError: CustomStringConvertible {
  var description: String {
    switch self {
    case .connection(let reason): "cannot connect to PostgreSQL: \(reason)"
    case .lost(let reason): "the connection to PostgreSQL was lost: \(reason)"
    case .statement(let state, let reason): "PostgreSQL error \(state): \(reason)"
    case .tooNew(let version, let known):
      "the tables have version \(version), but this program knows only \(known); "
        + "install a newer fixcast-fleet"
    case .tooOld(let version, let needed):
      "the tables have version \(version), but this program needs \(needed); "
        + "run: fixcast-fleet init"
    }
  }
}
