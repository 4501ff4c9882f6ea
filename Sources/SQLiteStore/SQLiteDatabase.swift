// SPDX-License-Identifier: Apache-2.0

internal import CSQLite
internal import Glibc
internal import SystemSupport

/// An SQLite database with a write-ahead log, which stays consistent after a power failure.
///
/// The file is opened only if it is a regular file of this user without further hard links. The
/// class is not thread-safe: use it in an actor or with a lock.
package final class SQLiteDatabase {
  /// The path of the file; `:memory:` for a database in memory.
  package let path: String
  private var handle: OpaquePointer?
  private var prepared: [String: OpaquePointer] = [:]
  private var isSynced: Bool?
  /// The file and its log, by suffix; empty for a database in memory or for reading.
  private var held: [(suffix: String, file: HeldFile)] = []
  /// The error because of which the database was closed.
  private var closingError: SQLiteError?
  private var notice: String?

  /// The suffixes of the files that belong to a database.
  ///
  /// These are the log, the shared-memory file, the journal of other modes, and damaged files.
  package static let besides =
    ["-wal", "-shm", "-journal"]
    + DamagedFile.suffixes.flatMap { suffix in
      [suffix] + DamagedFile.logSuffixes.map { suffix + $0 }
    }

  /// The maximum number of cached prepared statements; a program uses far fewer.
  private static let preparedLimit = 64

  /// Opens or creates a database.
  ///
  /// - Parameters:
  ///   - path: The path; its folder must exist. A new file is readable only by its owner, because
  ///     a database contains positions of the board.
  ///   - layout: The SQL that creates or upgrades the tables, one string per version. The file
  ///     stores the version of its tables.
  ///   - pageBytes: The page size of a new file; `nil` for SQLite's default. Each commit writes
  ///     whole pages.
  /// - Throws: ``SQLiteError``: `damaged` if a check of the file fails, `tooNew` if the version of
  ///   the file is higher than the number of strings in `layout`, `unusable` if the file is a link
  ///   or belongs to another user.
  package init(
    path: String, layout: [String], pageBytes: Int? = nil
  ) throws(SQLiteError) {
    self.path = path
    var file = path
    var cause: Int32 = 0
    if path != ":memory:" {
      let checked = DatabasePath(path)
      if let obstacle = checked.obstacle { throw .unusable(path: path, reason: obstacle) }
      file = checked.resolved
      // The file is created here and not by SQLite, so that its permissions can be set without
      // changing the umask of the process. An existing file is not opened here, because closing
      // the file would release the locks of other connections.
      let descriptor = open(file, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
      if descriptor >= 0 { Glibc.close(descriptor) } else if errno != EEXIST { cause = errno }
    }
    let flags =
      SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_NOFOLLOW
    let code = sqlite3_open_v2(file, &handle, flags, nil)
    guard code == SQLITE_OK else {
      if cause == 0 { cause = sqlite3_system_errno(handle) }
      // SQLite's own text, "unable to open database file", has no reason.
      let reason =
        code & 0xff == SQLITE_CANTOPEN && cause != 0
        ? String(cString: strerror(cause))
        : handle.map { String(cString: sqlite3_errmsg($0)) } ?? "out of memory"
      // The handle must be closed even if opening failed.
      sqlite3_close_v2(handle)
      handle = nil
      throw code & 0xff == SQLITE_NOTADB || code & 0xff == SQLITE_CORRUPT
        ? .damaged(path: path, reason: reason) : .unusable(path: path, reason: reason)
    }
    // From here on `deinit` closes the handle.
    try configure(layout, pageBytes)
    guard path != ":memory:" else { return }
    held = ["", "-wal"].compactMap { suffix in HeldFile(at: file + suffix).map { (suffix, $0) } }
  }

  /// Opens or creates a database; renames a damaged file, and creates a new one.
  ///
  /// - Parameters:
  ///   - path: The path.
  ///   - layout: The SQL that creates or upgrades the tables, as in ``init(path:layout:pageBytes:)``.
  ///   - pageBytes: The page size of a new file.
  ///   - query: A statement that fails if the tables are those of another program.
  ///   - cause: The error because of which a closed database is opened again; `nil` at the start.
  /// - Returns: The database. Its notice names the file that was renamed, or else the cause.
  /// - Throws: ``SQLiteError`` if the file cannot be opened or renamed.
  package static func openOrReplace(
    path: String, layout: [String], pageBytes: Int, checkedBy query: String,
    after cause: SQLiteError? = nil
  ) throws(SQLiteError) -> SQLiteDatabase {
    func open() throws(SQLiteError) -> SQLiteDatabase {
      let database = try SQLiteDatabase(path: path, layout: layout, pageBytes: pageBytes)
      do throws(SQLiteError) { try database.run(query) } catch {
        // Another program's file may have the same version, but other columns.
        guard case .statement(_, let reason) = error else { throw error }
        throw .damaged(path: path, reason: reason)
      }
      return database
    }
    do throws(SQLiteError) {
      let database = try open()
      database.notice = cause.map { "\($0)" }
      return database
    } catch {
      guard case .damaged = error else { throw error }
      let renaming = try setAside(path)
      let database = try open()
      database.notice = "\(error); \(renaming), and a new file was created"
      return database
    }
  }

  /// Returns a message for the log about the file once; `nil` if there is none.
  package func takeNotice() -> String? {
    defer { notice = nil }
    return notice
  }

  /// Checks whether the path still leads to the open file; call this before writing a batch.
  ///
  /// If another program has moved, removed, replaced or truncated the file or its log, the database is
  /// closed. A moved file then contains all that was written. Notes a file that became read-only.
  ///
  /// - Throws: ``SQLiteError/displaced(path:_:)``.
  package func checkPlace() throws(SQLiteError) {
    if let closingError { throw closingError }
    for (index, (suffix, _)) in held.enumerated() {
      // SQLite truncates its log itself.
      guard let change = held[index].file.change(), suffix.isEmpty || change.isMove else {
        continue
      }
      guard change != .madeReadOnly else {
        notice = notice ?? change.message(for: path)
        continue
      }
      let error = SQLiteError.displaced(path: path + suffix, change)
      close(after: error)
      throw error
    }
  }

  /// Closes the database, for example before a damaged file is renamed; later calls throw the error.
  package func close(after error: SQLiteError) {
    closingError = error
    closeHandle()
  }

  /// Opens an existing database of any user without changing it, also while it is written.
  ///
  /// The file must not be a symbolic link: another user could have created it. Views and functions in
  /// the schema of the file are not trusted.
  ///
  /// - Parameter path: The path of the file.
  /// - Throws: ``SQLiteError`` if the file cannot be opened or is not a database.
  package init(reading path: String) throws(SQLiteError) {
    self.path = path
    try openForReading("")
    do throws(SQLiteError) { try run("PRAGMA schema_version") } catch {
      // Reading needs a log, which this user may be unable to create. Without a log nobody writes.
      guard case .unusable = error, access(path + "-wal", F_OK) != 0 else { throw error }
      closeHandle()
      try openForReading("?immutable=1")
      try run("PRAGMA schema_version")
    }
  }

  private func openForReading(_ parameters: String) throws(SQLiteError) {
    // The path in a URI: each byte with a meaning there is encoded.
    let plain = Set("/-._~ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8)
    var uri = "file:"
    // Only the file itself must not be a link: the folder of a service may be one.
    for byte in DatabasePath.resolved(path).utf8 {
      if plain.contains(byte) {
        uri.unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        uri += (byte < 16 ? "%0" : "%") + String(byte, radix: 16)
      }
    }
    let flags =
      SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_URI | SQLITE_OPEN_NOFOLLOW
    let code = sqlite3_open_v2(uri + parameters, &handle, flags, nil)
    guard code == SQLITE_OK else {
      if code & 0xff == SQLITE_CANTOPEN, DatabasePath.isLink(path) {
        closeHandle()
        throw .unusable(
          path: path,
          reason: "it is a symbolic link, which is not followed; use the path of its target")
      }
      let reason = handle.map { String(cString: sqlite3_errmsg($0)) } ?? "out of memory"
      closeHandle()
      throw .unusable(path: path, reason: reason)
    }
    sqlite3_busy_timeout(handle, 2000)
    sqlite3_extended_result_codes(handle, 1)
    _ = fixcast_sqlite_enable_defensive_mode(handle)
    try run("PRAGMA trusted_schema=OFF")
  }

  /// Returns the reason why a file would be refused, such as a link or another owner.
  ///
  /// The text includes the remedy. Returns `nil` if the file would be opened.
  package static func obstacle(at path: String) -> String? { DatabasePath(path).obstacle }

  deinit { closeHandle() }

  private func closeHandle() {
    guard handle != nil else { return }
    for statement in prepared.values { sqlite3_finalize(statement) }
    prepared.removeAll()
    // SQLite does not write the log into a file that was moved, and a new file would get the log.
    if held.indices.contains(where: { held[$0].file.change()?.isMove == true }) {
      sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_TRUNCATE, nil, nil)
    }
    held = []
    sqlite3_close_v2(handle)
    handle = nil
  }

  /// Renames a damaged file, which must not be open.
  ///
  /// At most ``DamagedFile/maxKept`` damaged files are kept; the oldest file is removed.
  ///
  /// Throws ``SQLiteError`` if the file cannot be renamed.
  package static func setAside(_ path: String) throws(SQLiteError) -> DamagedFile {
    try DamagedFile(settingAside: path)
  }

  private func configure(_ layout: [String], _ pageBytes: Int?) throws(SQLiteError) {
    sqlite3_busy_timeout(handle, 2000)
    sqlite3_extended_result_codes(handle, 1)
    _ = fixcast_sqlite_enable_defensive_mode(handle)
    if let pageBytes { try run("PRAGMA page_size=\(pageBytes)") }
    try run("PRAGMA journal_mode=WAL")
    try sync(true)
    try run("PRAGMA journal_size_limit=1048576")
    try run("PRAGMA trusted_schema=OFF")
    let check = try rows("PRAGMA quick_check(1)").first?.first
    guard check == .text("ok") else {
      throw .damaged(path: path, reason: check?.text ?? "the integrity check returned no result")
    }
    guard try version(supporting: layout.count) < layout.count else { return }
    try transaction { () throws(SQLiteError) in
      // Checked again inside the transaction, because another program may have created the tables.
      let version = try version(supporting: layout.count)
      guard version < layout.count else { return }
      for script in layout[version...] { try execute(script) }
      try execute("PRAGMA user_version=\(layout.count)")
    }
  }

  private func version(supporting supported: Int) throws(SQLiteError) -> Int {
    let version = Int(try rows("PRAGMA user_version").first?.first?.integer ?? 0)
    guard version <= supported, version >= 0 else {
      throw .tooNew(path: path, version: version, known: supported)
    }
    return version
  }

  /// Runs statements in one transaction.
  ///
  /// - Parameters:
  ///   - isSynced: Whether this and all earlier transactions survive a power failure. A transaction
  ///     that is not synced survives the end of the process, but not a power failure.
  ///   - body: Runs the statements.
  /// - Returns: The result of the body.
  /// - Throws: The error of the body, or ``SQLiteError`` if the commit fails. In both cases the
  ///   transaction is rolled back.
  package func transaction<Result>(
    isSynced: Bool = true, _ body: () throws(SQLiteError) -> Result
  ) throws(SQLiteError) -> Result {
    try sync(isSynced)
    // Takes the write lock at once: upgrading from a read lock fails instead of waiting.
    try execute("BEGIN IMMEDIATE")
    do {
      let result = try body()
      try execute("COMMIT")
      return result
    } catch {
      // After some errors SQLite has already rolled back; a second rollback is harmless.
      try? execute("ROLLBACK")
      throw error
    }
  }

  /// Sets whether the next commits are synced to disk.
  private func sync(_ isSynced: Bool) throws(SQLiteError) {
    guard isSynced != self.isSynced else { return }
    // With NORMAL, a commit is complete in the log, but the log is not synced to disk.
    try run("PRAGMA synchronous=\(isSynced ? "FULL" : "NORMAL")")
    self.isSynced = isSynced
  }

  /// Runs a statement and ignores its result.
  ///
  /// Throws ``SQLiteError``.
  package func run(_ sql: String, _ values: [SQLiteValue] = []) throws(SQLiteError) {
    _ = try rows(sql, values)
  }

  /// Runs a statement and returns its rows.
  ///
  /// Throws ``SQLiteError``.
  package func rows(
    _ sql: String, _ values: [SQLiteValue] = []
  ) throws(SQLiteError) -> [[SQLiteValue]] {
    let statement = try statement(sql)
    defer {
      sqlite3_reset(statement)
      sqlite3_clear_bindings(statement)
    }
    guard sqlite3_bind_parameter_count(statement) == values.count else {
      throw .statement(sql: sql, reason: "\(values.count) values do not match the parameters")
    }
    for (index, value) in zip(Int32(1)..., values) {
      guard statement.bind(value, at: index) == SQLITE_OK else { throw failure(sql) }
    }
    var rows: [[SQLiteValue]] = []
    while true {
      switch sqlite3_step(statement) {
      case SQLITE_ROW:
        rows.append((0..<sqlite3_column_count(statement)).map(statement.column))
      case SQLITE_DONE: return rows
      default: throw failure(sql)
      }
    }
  }

  /// Runs a script of statements without parameters or results.
  private func execute(_ script: String) throws(SQLiteError) {
    guard sqlite3_exec(handle, script, nil, nil, nil) == SQLITE_OK else { throw failure(script) }
  }

  private func statement(_ sql: String) throws(SQLiteError) -> OpaquePointer {
    if let statement = prepared[sql] { return statement }
    var statement: OpaquePointer?
    guard sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK, let statement else {
      throw failure(sql)
    }
    if prepared.count >= Self.preparedLimit {
      for statement in prepared.values { sqlite3_finalize(statement) }
      prepared.removeAll(keepingCapacity: true)
    }
    prepared[sql] = statement
    return statement
  }

  private func failure(_ sql: String) -> SQLiteError {
    if let closingError { return closingError }
    let reason = handle.map { String(cString: sqlite3_errmsg($0)) } ?? "not open"
    return switch sqlite3_errcode(handle) & 0xff {
    case SQLITE_CORRUPT, SQLITE_NOTADB: .damaged(path: path, reason: reason)
    case SQLITE_FULL: .full(path: path)
    case SQLITE_BUSY, SQLITE_LOCKED: .busy(path: path)
    case SQLITE_ERROR, SQLITE_MISUSE, SQLITE_RANGE, SQLITE_MISMATCH, SQLITE_CONSTRAINT:
      .statement(sql: sql, reason: reason)
    // A full disk may cause an I/O error.
    case SQLITE_IOERR where sqlite3_system_errno(handle) == ENOSPC: .full(path: path)
    default: .unusable(path: path, reason: reason)
    }
  }
}
