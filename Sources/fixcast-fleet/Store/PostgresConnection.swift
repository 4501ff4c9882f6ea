// SPDX-License-Identifier: Apache-2.0

internal import CPostgres

/// A connection to PostgreSQL with blocking calls, for use by one thread at a time.
struct PostgresConnection: ~Copyable {
  private let handle: OpaquePointer

  /// Connects to a server.
  ///
  /// - Parameter options: A connection string or URI of libpq. Parameters that it lacks are those
  ///   of the environment, such as `PGHOST`.
  /// - Throws: `PostgresError`.
  init(_ options: String) throws(PostgresError) {
    // The name and the time limit are only defaults; values in `options` override them.
    let names = ["fallback_application_name", "connect_timeout", "tcp_user_timeout", "dbname"]
    let values = ["fixcast-fleet", "10", "10000", options]
    let (nameList, valueList) = (names.map(Self.copy), values.map(Self.copy))
    defer { for text in nameList + valueList { text.deallocate() } }
    let handle = nameList.withTerminatedPointers { names in
      valueList.withTerminatedPointers { PQconnectdbParams(names, $0, 1) }
    }
    guard let handle else { throw .connection(reason: "out of memory") }
    guard PQstatus(handle) == CONNECTION_OK else {
      let reason = Self.line(PQerrorMessage(handle))
      PQfinish(handle)
      throw .connection(reason: reason)
    }
    self.handle = handle
    // Notices, such as that a table exists already, are not errors.
    PQsetNoticeProcessor(handle, { _, _ in }, nil)
  }

  deinit { PQfinish(handle) }

  /// Runs a script of statements without parameters, in one transaction unless it has its own.
  func execute(_ script: String) throws(PostgresError) {
    try check(PQexec(handle, script)) { _ in }
  }

  /// Runs a statement.
  ///
  /// - Parameters:
  ///   - statement: A statement with the parameters `$1` and so on.
  ///   - parameters: The parameters as text; `nil` for NULL.
  /// - Returns: The rows as text; `nil` for NULL.
  /// - Throws: `PostgresError`.
  @discardableResult
  func rows(
    _ statement: String, _ parameters: [String?] = []
  ) throws(PostgresError) -> [[String?]] {
    let texts = parameters.map { $0.map(Self.copy) }
    defer { for text in texts { text?.deallocate() } }
    let pointers = texts.map { UnsafePointer($0) }
    let result = PQexecParams(
      handle, statement, Int32(parameters.count), nil, pointers, nil, nil, 0)
    var rows: [[String?]] = []
    try check(result) { result in
      for row in 0..<PQntuples(result) {
        rows.append(
          (0..<PQnfields(result)).map { column in
            PQgetisnull(result, row, column) == 1
              ? nil : PQgetvalue(result, row, column).map { String(cString: $0) }
          })
      }
    }
    return rows
  }

  /// Runs a body in a transaction, which is rolled back if the body throws.
  func transaction<Value>(
    _ body: (borrowing PostgresConnection) throws(PostgresError) -> Value
  ) throws(PostgresError) -> Value {
    try execute("BEGIN")
    do {
      let value = try body(self)
      try execute("COMMIT")
      return value
    } catch {
      try? execute("ROLLBACK")
      throw error
    }
  }

  private func check(
    _ result: OpaquePointer?, _ body: (OpaquePointer?) -> Void
  ) throws(PostgresError) {
    defer { PQclear(result) }
    let status = PQresultStatus(result)
    guard status != PGRES_COMMAND_OK, status != PGRES_TUPLES_OK else { return body(result) }
    guard PQstatus(handle) == CONNECTION_OK else {
      throw .lost(reason: Self.line(PQerrorMessage(handle)))
    }
    // 67 is 'C', PG_DIAG_SQLSTATE, a macro that Swift does not import.
    let state = PQresultErrorField(result, 67).map { String(cString: $0) } ?? ""
    throw .statement(state: state, reason: Self.line(PQresultErrorMessage(result)))
  }

  /// Returns a message of libpq on one line, without its severity.
  private static func line(_ message: UnsafePointer<CChar>?) -> String {
    guard let message else { return "unknown error" }
    let text = String(cString: message).split(whereSeparator: \.isNewline)
      .map { $0.drop { $0 == " " || $0 == "\t" } }.joined(separator: "; ")
    return text.hasPrefix("ERROR:  ") ? String(text.dropFirst(8)) : text
  }

  private static func copy(_ text: String) -> UnsafeMutablePointer<CChar> {
    let bytes = text.utf8CString
    let pointer = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count)
    _ = UnsafeMutableBufferPointer(start: pointer, count: bytes.count).initialize(from: bytes)
    return pointer
  }
}

extension [UnsafeMutablePointer<CChar>] {
  /// Calls a body with an array of pointers that ends with a null pointer.
  fileprivate func withTerminatedPointers<Value>(
    _ body: (UnsafePointer<UnsafePointer<CChar>?>?) -> Value
  ) -> Value {
    let pointers = map { Optional(UnsafePointer($0)) } + [nil]
    return pointers.withUnsafeBufferPointer { body($0.baseAddress) }
  }
}
