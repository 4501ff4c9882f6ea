// SPDX-License-Identifier: Apache-2.0

internal import CSQLite
internal import Glibc

/// One SQLite file with a write-ahead log, which a power cut at any moment leaves whole.
///
/// The file is opened only where it is a regular file of this user, with one name. Not for use from
/// two tasks at once: its owner is an actor or holds a lock.
package final class SQLiteDatabase {
  /// Where the file is; `:memory:` for one that is never written.
  package let path: String
  private var handle: OpaquePointer?
  private var prepared: [String: OpaquePointer] = [:]
  private var isSynced: Bool?

  /// What is put behind a file's name, for those beside it.
  ///
  /// Its log and what is shared of it, the journal of other modes, and what was set aside as damaged.
  package static let besides =
    ["-wal", "-shm", "-journal"]
    + DamagedFile.suffixes.flatMap { suffix in [suffix] + DamagedFile.logs.map { suffix + $0 } }

  /// How many statements are kept prepared; a program has a handful.
  private static let preparedLimit = 64

  /// Opens a file, or makes it.
  ///
  /// - Parameters:
  ///   - path: Where; its folder exists. The file is readable by its owner only, as it tells where
  ///     the board was.
  ///   - layout: The statements that make or upgrade the tables, one string a version; the file
  ///     remembers how many were run.
  ///   - pageBytes: The size of pages in a new file; `nil` for SQLite's own. Each commit writes whole
  ///     pages.
  /// - Throws: ``SQLiteError``: `damaged` where a check finds the file not whole, `tooNew` where it
  ///   has seen more versions than there are in `layout`, `unusable` where the file is a link or
  ///   belongs to another user.
  package init(
    path: String, layout: [String], pageBytes: Int? = nil
  ) throws(SQLiteError) {
    self.path = path
    var file = path
    if path != ":memory:" {
      let checked = DatabasePath(path)
      if let obstacle = checked.obstacle { throw .unusable(path: path, reason: obstacle) }
      file = checked.resolved
      // Made by hand, as the mask of modes is the whole process's. Only where it is not there: to
      // close a file that another connection has open would end its locks.
      let descriptor = open(file, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
      if descriptor >= 0 { close(descriptor) }
    }
    let flags =
      SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_NOFOLLOW
    let code = sqlite3_open_v2(file, &handle, flags, nil)
    guard code == SQLITE_OK else {
      let reason = handle.map { String(cString: sqlite3_errmsg($0)) } ?? "out of memory"
      // A handle that failed to open is still one to close.
      sqlite3_close_v2(handle)
      handle = nil
      throw code & 0xff == SQLITE_NOTADB || code & 0xff == SQLITE_CORRUPT
        ? .damaged(path: path, reason: reason) : .unusable(path: path, reason: reason)
    }
    // From here on `deinit` closes.
    try prepare(layout, pageBytes)
  }

  /// The reason why a file would not be opened: a link, or the file or folder of another user.
  ///
  /// Returns the reason with advice; `nil` where it would be opened.
  package static func obstacle(at path: String) -> String? { DatabasePath(path).obstacle }

  deinit {
    for statement in prepared.values { sqlite3_finalize(statement) }
    sqlite3_close_v2(handle)
  }

  /// Moves a damaged file that nobody has open out of the way.
  ///
  /// Those set aside before stay, as many as ``DamagedFile/maxKept`` in all.
  ///
  /// Returns where it is then, and whether an older one had to go for it. Throws ``SQLiteError``
  /// where it cannot be moved.
  package static func setAside(_ path: String) throws(SQLiteError) -> DamagedFile {
    try DamagedFile(settingAside: path)
  }

  private func prepare(_ layout: [String], _ pageBytes: Int?) throws(SQLiteError) {
    sqlite3_busy_timeout(handle, 2000)
    sqlite3_extended_result_codes(handle, 1)
    _ = fixcast_sqlite_forbid_attached_schema_tricks(handle)
    if let pageBytes { try run("PRAGMA page_size=\(pageBytes)") }
    try run("PRAGMA journal_mode=WAL")
    try sync(true)
    try run("PRAGMA journal_size_limit=1048576")
    try run("PRAGMA trusted_schema=OFF")
    let check = try rows("PRAGMA quick_check(1)").first?.first
    guard check == .text("ok") else {
      throw .damaged(path: path, reason: check?.text ?? "no answer to a check")
    }
    guard try version(knowing: layout.count) < layout.count else { return }
    try transaction { () throws(SQLiteError) in
      // Another program may have made the tables since: only in here is it certain.
      let version = try version(knowing: layout.count)
      guard version < layout.count else { return }
      for script in layout[version...] { try execute(script) }
      try execute("PRAGMA user_version=\(layout.count)")
    }
  }

  private func version(knowing known: Int) throws(SQLiteError) -> Int {
    let version = Int(try rows("PRAGMA user_version").first?.first?.integer ?? 0)
    guard version <= known, version >= 0 else {
      throw .tooNew(path: path, version: version, known: known)
    }
    return version
  }

  /// Runs several statements in one transaction: all of them or none.
  ///
  /// - Parameters:
  ///   - isSynced: Whether a power cut loses neither this nor any earlier transaction. One that is not
  ///     synced is lost by a power cut alone, not by the end of the process.
  ///   - body: Runs them.
  /// - Returns: What the body returns.
  /// - Throws: What the body throws, or ``SQLiteError`` where the commit fails; the database is then
  ///   as it was before.
  package func transaction<Result>(
    isSynced: Bool = true, _ body: () throws(SQLiteError) -> Result
  ) throws(SQLiteError) -> Result {
    try sync(isSynced)
    // At once, not at the first write: a reader that turns writer cannot wait for another.
    try execute("BEGIN IMMEDIATE")
    do {
      let result = try body()
      try execute("COMMIT")
      return result
    } catch {
      // Some errors have rolled back already; a second time is harmless.
      try? execute("ROLLBACK")
      throw error
    }
  }

  /// Has the next commits synced to the disk, with all that came before them, or only written.
  private func sync(_ isSynced: Bool) throws(SQLiteError) {
    guard isSynced != self.isSynced else { return }
    // In the log a commit is whole without this, but not on the disk yet.
    try run("PRAGMA synchronous=\(isSynced ? "FULL" : "NORMAL")")
    self.isSynced = isSynced
  }

  /// Runs a statement that returns nothing of interest.
  ///
  /// Throws ``SQLiteError``.
  package func run(_ sql: String, _ values: [SQLiteValue] = []) throws(SQLiteError) {
    _ = try rows(sql, values)
  }

  /// Runs a statement and collects what it returns.
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
      throw .statement(sql: sql, reason: "\(values.count) values")
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

  /// Runs statements without parameters or results, several at once.
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
    let reason = handle.map { String(cString: sqlite3_errmsg($0)) } ?? "not open"
    return switch sqlite3_errcode(handle) & 0xff {
    case SQLITE_CORRUPT, SQLITE_NOTADB: .damaged(path: path, reason: reason)
    case SQLITE_FULL: .full(path: path)
    case SQLITE_BUSY, SQLITE_LOCKED: .busy(path: path)
    case SQLITE_ERROR, SQLITE_MISUSE, SQLITE_RANGE, SQLITE_MISMATCH, SQLITE_CONSTRAINT:
      .statement(sql: sql, reason: reason)
    // A full disk may show as a write that fails.
    case SQLITE_IOERR where sqlite3_system_errno(handle) == ENOSPC: .full(path: path)
    default: .unusable(path: path, reason: reason)
    }
  }
}
