// SPDX-License-Identifier: Apache-2.0

internal import FoundationEssentials
internal import SQLiteStore
internal import WeatherClient

/// An SQLite file with the report of each cell and the request ledger of each provider.
///
/// Several programs may share the file, so each decision that depends on the ledgers is made and
/// written in one exclusive transaction. If the file cannot be opened or written, for example on a
/// full disk, the archive continues in memory and adds a notice. The file survives a power failure.
/// An archive is not thread-safe, and is therefore owned by an actor.
final class WeatherArchive {
  /// The maximum number of stored reports; the newest are kept.
  ///
  /// A drive of 5,000 km needs fewer reports.
  static let reportLimit = 1000
  /// The maximum total size of all report bodies in bytes.
  ///
  /// A complete report has 60 kB.
  static let reportByteLimit = 16 << 20
  /// The maximum number of ledgers; the most recently changed are kept.
  ///
  /// Each server has its own ledger.
  static let providerLimit = 64

  private static let layout = [
    """
    CREATE TABLE report (
      cell TEXT NOT NULL UNIQUE, latitude REAL NOT NULL, longitude REAL NOT NULL,
      provider TEXT NOT NULL, received_utc INTEGER NOT NULL, received_boot INTEGER NOT NULL,
      boot TEXT, valid_seconds REAL NOT NULL, validator TEXT, body BLOB NOT NULL);
    CREATE TABLE provider (name TEXT PRIMARY KEY, ledger TEXT NOT NULL);
    """,
    // The server of an older report is unknown, so the report matches no configured server.
    "ALTER TABLE report ADD COLUMN site TEXT NOT NULL DEFAULT 'unknown'",
  ]

  private let path: String
  /// The open database; `nil` if not even an in-memory database could be opened.
  private var database: SQLiteDatabase?
  private var notices: [String] = []
  private var lastFailure: String?
  /// The ledgers as last read or written, for use while the file cannot be read.
  private var lastLedgers: [String: ProviderUsage] = [:]
  /// The ledgers that could not be written to the file yet.
  private var unwrittenLedgers: [String: ProviderUsage] = [:]

  /// Opens the archive.
  ///
  /// - Parameter path: The path of the file, or `nil` to use memory only.
  init(path: String?) {
    self.path = path ?? ":memory:"
    (database, notices) = Self.open(self.path)
    lastLedgers = ledgers()
  }

  /// Whether stored data survives a restart.
  var isDurable: Bool { database.map { $0.path != ":memory:" } ?? false }

  /// Returns the log messages about the file, the oldest first, and clears them.
  func takeNotices() -> [String] {
    defer { notices = [] }
    return notices
  }

  /// Returns the report for a cell, or `nil` if no report is stored or the file cannot be read.
  func report(for cell: WeatherCell) -> StoredReport? {
    report(named: StoredReport.name(of: cell))
  }

  /// Returns the newest reports, the newest first.
  func newestReports(limit: Int) -> [StoredReport] {
    let rows = attempt { database throws(SQLiteError) in
      try database.rows(
        "SELECT \(StoredReport.columns) FROM report ORDER BY rowid DESC LIMIT ?",
        [.integer(Int64(limit))])
    }
    return (rows ?? []).compactMap(StoredReport.init(row:))
  }

  /// Returns the reports in a box without their bodies, the newest first.
  func summaries(in box: CoordinateBox) -> [StoredReport] {
    let rows = attempt { database throws(SQLiteError) in
      try database.rows(
        """
        SELECT cell, latitude, longitude, provider, received_utc, received_boot, boot,
          valid_seconds, validator, x'', site FROM report
        WHERE latitude BETWEEN ? AND ? AND (longitude BETWEEN ? AND ? OR longitude BETWEEN ? AND ?)
        ORDER BY rowid DESC LIMIT ?
        """,
        box.bounds.map(SQLiteValue.real) + [.integer(Int64(Self.reportLimit))])
    }
    return (rows ?? []).compactMap(StoredReport.init(row:))
  }

  /// Returns the report for the cell with this name, under the same conditions as `report(for:)`.
  func report(named cell: String) -> StoredReport? {
    attempt { database throws(SQLiteError) in
      try database.rows("SELECT \(StoredReport.columns) FROM report WHERE cell=?", [.text(cell)])
    }?.first.flatMap(StoredReport.init(row:))
  }

  /// Returns all ledgers that can be decoded, keyed by ledger name.
  func ledgers() -> [String: ProviderUsage] {
    let rows = attempt { database throws(SQLiteError) in
      try Self.ledgers(in: database)
    }
    return (rows ?? lastLedgers).merging(unwrittenLedgers) { $1 }
  }

  /// Reads the newest `providerLimit` ledgers.
  private static func ledgers(
    in database: SQLiteDatabase
  ) throws(SQLiteError) -> [String: ProviderUsage] {
    let rows = try database.rows(
      "SELECT name, ledger FROM provider ORDER BY rowid DESC LIMIT ?",
      [.integer(Int64(providerLimit))])
    var ledgers: [String: ProviderUsage] = [:]
    for row in rows where row.count == 2 {
      guard let name = row[0].text, let text = row[1].text,
        let ledger = try? JSONDecoder().decode(ProviderUsage.self, from: Data(text.utf8))
      else { continue }
      ledgers[name] = ledger
    }
    return ledgers
  }

  /// Reads the ledgers, calls `change`, and writes changed ledgers and `report`, in one
  /// transaction.
  ///
  /// If the transaction fails, calls `change` again on the ledgers in memory. The next call that
  /// succeeds writes the changed ledgers to the file.
  @discardableResult
  func update<Value>(
    storing report: StoredReport? = nil,
    _ change: (inout [String: ProviderUsage]) -> Value
  ) -> Value {
    var usedDatabase: SQLiteDatabase?
    let committed = attempt { database throws(SQLiteError) in
      usedDatabase = database
      try database.checkPlace()
      return try database.transaction { () throws(SQLiteError) in
        let stored = try Self.ledgers(in: database)
        var ledgers = stored.merging(unwrittenLedgers) { $1 }
        let value = change(&ledgers)
        for (name, ledger) in ledgers where stored[name] != ledger {
          try Self.insert(ledger, of: name, into: database)
        }
        if let report { try Self.insert(report, into: database) }
        return (value: value, ledgers: ledgers)
      }
    }
    if let committed {
      lastLedgers = committed.ledgers
      // If a new file was opened during the call, it may not contain the ledgers yet.
      unwrittenLedgers = usedDatabase === database ? [:] : committed.ledgers
      return committed.value
    }
    var ledgers = lastLedgers.merging(unwrittenLedgers) { $1 }
    let value = change(&ledgers)
    (lastLedgers, unwrittenLedgers) = (ledgers, ledgers)
    return value
  }

  private static func insert(
    _ ledger: ProviderUsage, of name: String, into database: SQLiteDatabase
  ) throws(SQLiteError) {
    guard let text = try? JSONEncoder().encode(ledger) else { return }
    // REPLACE assigns a new row number, which makes the ledger the newest.
    try database.run(
      "INSERT OR REPLACE INTO provider (name, ledger) VALUES (?,?)",
      [.text(name), .text(String(decoding: text, as: UTF8.self))])
    try database.run(
      """
      DELETE FROM provider WHERE rowid <= (
        SELECT rowid FROM provider ORDER BY rowid DESC LIMIT 1 OFFSET ?)
      """, [.integer(Int64(providerLimit))])
  }

  /// Writes ledgers and a report, in one transaction.
  func record(_ report: StoredReport?, ledgers: [String: ProviderUsage]) {
    update(storing: report) { $0.merge(ledgers) { $1 } }
  }

  private static func insert(
    _ report: StoredReport, into database: SQLiteDatabase
  ) throws(SQLiteError) {
    // REPLACE assigns a new row number, which makes the report the newest.
    try database.run(
      "INSERT OR REPLACE INTO report (\(StoredReport.columns)) VALUES (?,?,?,?,?,?,?,?,?,?,?)",
      report.row)
    try database.run(
      """
      DELETE FROM report WHERE rowid <= (
        SELECT rowid FROM report ORDER BY rowid DESC LIMIT 1 OFFSET ?)
      """, [.integer(Int64(reportLimit))])
    // Keep the newest report even if it exceeds the limit.
    try database.run(
      """
      DELETE FROM report WHERE rowid IN (
        SELECT rowid FROM (
          SELECT rowid, sum(length(body)) OVER (ORDER BY rowid DESC) AS total,
            row_number() OVER (ORDER BY rowid DESC) AS place FROM report)
        WHERE total > ? AND place > 1)
      """, [.integer(Int64(reportByteLimit))])
  }

  /// Runs `body` on the database, and returns `nil` if `body` fails.
  ///
  /// Adds a notice for a failure. If the file is damaged or was moved, opens a new file and runs
  /// `body` again.
  @discardableResult
  private func attempt<Result>(
    _ body: (SQLiteDatabase) throws(SQLiteError) -> Result
  ) -> Result? {
    guard let current = database else { return nil }
    do {
      let result = try body(current)
      lastFailure = nil
      return result
    } catch {
      if error.needsReopening {
        reopen(after: error)
        return database.flatMap { try? body($0) }
      }
      // Report a repeated failure only once. On a full disk, every access fails.
      let text = "weather store: \(error); new data is kept in memory until the next start"
      if lastFailure != text { notices.append(text) }
      lastFailure = text
      return nil
    }
  }

  private func reopen(after error: SQLiteError) {
    // Close before moving the file: closing deletes the write-ahead log by name, and the new file
    // uses the same name.
    database?.close(after: error)
    unwrittenLedgers = lastLedgers
    let newNotices: [String]
    if case .damaged = error {
      (database, newNotices) = Self.open(path, settingAside: error)
    } else {
      notices.append("weather store: \(error)")
      (database, newNotices) = Self.open(path)
    }
    notices += newNotices
  }

  /// Opens the file, or an in-memory database if the file cannot be opened.
  ///
  /// A damaged file is renamed and replaced by an empty one.
  private static func open(
    _ path: String, settingAside damage: SQLiteError? = nil
  ) -> (SQLiteDatabase?, [String]) {
    var notices: [String] = []
    do {
      if let damage { notices.append(try setAside(path, damage)) }
      let database = try SQLiteDatabase(path: path, layout: layout)
      try check(database)
      return (database, notices)
    } catch {
      if damage == nil, case .damaged = error { return open(path, settingAside: error) }
      notices.append("weather store: \(error); kept in memory until the next start")
      return (try? SQLiteDatabase(path: ":memory:", layout: layout), notices)
    }
  }

  /// Throws `damaged` if a table or column is missing, as in a file of another program.
  private static func check(_ database: SQLiteDatabase) throws(SQLiteError) {
    do throws(SQLiteError) {
      try database.run("SELECT \(StoredReport.columns) FROM report LIMIT 0")
      try database.run("SELECT name, ledger FROM provider LIMIT 0")
    } catch {
      guard case .statement(_, let reason) = error else { throw error }
      throw .damaged(path: database.path, reason: reason)
    }
  }

  /// Renames a damaged file and returns a notice.
  private static func setAside(_ path: String, _ damage: SQLiteError) throws(SQLiteError) -> String
  {
    let aside = try SQLiteDatabase.setAside(path)
    return "weather store: \(damage); \(aside), created a new one"
  }
}
