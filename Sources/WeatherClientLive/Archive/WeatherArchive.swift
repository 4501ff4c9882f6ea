// SPDX-License-Identifier: Apache-2.0

internal import FoundationEssentials
internal import SQLiteStore
internal import WeatherClient

/// Reports by cell, and what is known of each provider, in one file that survives a power cut.
///
/// Several programs may share the file: what is decided from the ledgers is decided and written in
/// one transaction, in which no other writes. Where the file cannot be opened the same is kept in memory, and where
/// it cannot be written the lookup goes on without; the notices say so. A full disk is no reason to
/// have no weather. Its owner is an actor.
final class WeatherArchive {
  /// The newest reports are kept, that many; a drive of 5,000 km has no more cells.
  static let reportLimit = 1000
  /// And as many bytes of them: a report with all its hours has 60 kB, and a board a small disk.
  static let reportByteLimit = 16 << 20
  /// The ledgers that changed last are kept, that many: each server has its own.
  static let providerLimit = 64

  private static let layout = [
    """
    CREATE TABLE report (
      cell TEXT NOT NULL UNIQUE, latitude REAL NOT NULL, longitude REAL NOT NULL,
      provider TEXT NOT NULL, received_utc INTEGER NOT NULL, received_boot INTEGER NOT NULL,
      boot TEXT, valid_seconds REAL NOT NULL, validator TEXT, body BLOB NOT NULL);
    CREATE TABLE provider (name TEXT PRIMARY KEY, ledger TEXT NOT NULL);
    """,
    // Of a report from before nobody knows the server, so it stands for none.
    "ALTER TABLE report ADD COLUMN site TEXT NOT NULL DEFAULT 'unknown'",
  ]

  private let path: String
  /// `nil` only where not even memory is left.
  private var database: SQLiteDatabase?
  private var notices: [String] = []
  private var lastFailure: String?
  /// The ledgers as they were last seen, for where the file fails.
  private var known: [String: ProviderUsage] = [:]
  /// Those that the file has not taken.
  private var unwritten: [String: ProviderUsage] = [:]

  /// - Parameter path: Where the file is; `nil` for memory only.
  init(path: String?) {
    self.path = path ?? ":memory:"
    (database, notices) = Self.open(self.path)
    known = ledgers()
  }

  /// Whether what is stored will be there after a restart.
  var isDurable: Bool { database.map { $0.path != ":memory:" } ?? false }

  /// Takes what a person should know about the file, the oldest first.
  func takeNotices() -> [String] {
    defer { notices = [] }
    return notices
  }

  /// The report for a cell; `nil` where there is none or the file fails.
  func report(for cell: WeatherCell) -> StoredReport? {
    report(named: StoredReport.name(of: cell))
  }

  /// The newest reports, the newest first.
  func newestReports(limit: Int) -> [StoredReport] {
    let rows = attempt { database throws(SQLiteError) in
      try database.rows(
        "SELECT \(StoredReport.columns) FROM report ORDER BY rowid DESC LIMIT ?",
        [.integer(Int64(limit))])
    }
    return (rows ?? []).compactMap(StoredReport.init(row:))
  }

  /// What is known of the reports in a box, the newest first, without their bodies.
  func headings(in box: CoordinateBox) -> [StoredReport] {
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

  /// The whole of a report; `nil` where there is none or the file fails.
  func report(named cell: String) -> StoredReport? {
    attempt { database throws(SQLiteError) in
      try database.rows("SELECT \(StoredReport.columns) FROM report WHERE cell=?", [.text(cell)])
    }?.first.flatMap(StoredReport.init(row:))
  }

  /// What is known of the providers; one that cannot be read is as one never asked.
  func ledgers() -> [String: ProviderUsage] {
    let rows = attempt { database throws(SQLiteError) in
      try Self.ledgers(in: database)
    }
    return (rows ?? known).merging(unwritten) { $1 }
  }

  /// The newest are read where there are too many.
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

  /// Reads the ledgers, has them changed and writes what has changed, in one transaction.
  ///
  /// Where the file fails the same is done in memory, until the file takes it: `change` is then called
  /// again, with fresh ones.
  @discardableResult
  func update<Value>(
    storing report: StoredReport? = nil,
    _ change: (inout [String: ProviderUsage]) -> Value
  ) -> Value {
    var used: SQLiteDatabase?
    let done = attempt { database throws(SQLiteError) in
      used = database
      return try database.transaction { () throws(SQLiteError) in
        let stored = try Self.ledgers(in: database)
        var ledgers = stored.merging(unwritten) { $1 }
        let value = change(&ledgers)
        for (name, ledger) in ledgers where stored[name] != ledger {
          try Self.insert(ledger, of: name, into: database)
        }
        if let report { try Self.insert(report, into: database) }
        return (value: value, ledgers: ledgers)
      }
    }
    if let done {
      known = done.ledgers
      // Where the file turned out damaged on the way, the new one has seen none of this.
      unwritten = used === database ? [:] : done.ledgers
      return done.value
    }
    var ledgers = known.merging(unwritten) { $1 }
    let value = change(&ledgers)
    (known, unwritten) = (ledgers, ledgers)
    return value
  }

  private static func insert(
    _ ledger: ProviderUsage, of name: String, into database: SQLiteDatabase
  ) throws(SQLiteError) {
    guard let text = try? JSONEncoder().encode(ledger) else { return }
    // Replaced, not updated: a new row number makes it the newest.
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
    // Replaced, not updated: a new row number makes it the newest.
    try database.run(
      "INSERT OR REPLACE INTO report (\(StoredReport.columns)) VALUES (?,?,?,?,?,?,?,?,?,?,?)",
      report.row)
    try database.run(
      """
      DELETE FROM report WHERE rowid <= (
        SELECT rowid FROM report ORDER BY rowid DESC LIMIT 1 OFFSET ?)
      """, [.integer(Int64(reportLimit))])
    // The newest stays, however large.
    try database.run(
      """
      DELETE FROM report WHERE rowid IN (
        SELECT rowid FROM (
          SELECT rowid, sum(length(body)) OVER (ORDER BY rowid DESC) AS total,
            row_number() OVER (ORDER BY rowid DESC) AS place FROM report)
        WHERE total > ? AND place > 1)
      """, [.integer(Int64(reportByteLimit))])
  }

  /// Runs something; where the file fails it is told, and where it is damaged a new one is begun.
  @discardableResult
  private func attempt<Result>(
    _ body: (SQLiteDatabase) throws(SQLiteError) -> Result
  ) -> Result? {
    guard let open = database else { return nil }
    do {
      let result = try body(open)
      lastFailure = nil
      return result
    } catch {
      if case .damaged = error {
        begin(anewBecauseOf: error)
        return database.flatMap { try? body($0) }
      }
      // Told once while it lasts, or a full disk would fill the log too.
      let text = "weather store: \(error); what comes now is gone at the next start"
      if lastFailure != text { notices.append(text) }
      lastFailure = text
      return nil
    }
  }

  private func begin(anewBecauseOf damage: SQLiteError) {
    // Closed before it is moved: closing removes the log by its name, which is the new one's too.
    database = nil
    unwritten = known
    let told: [String]
    (database, told) = Self.open(path, settingAside: damage)
    notices += told
  }

  /// Opens the file; sets a damaged one aside; keeps to memory where nothing else is left.
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

  /// A file of another program may say that it has every table there is.
  private static func check(_ database: SQLiteDatabase) throws(SQLiteError) {
    do throws(SQLiteError) {
      try database.run("SELECT \(StoredReport.columns) FROM report LIMIT 0")
      try database.run("SELECT name, ledger FROM provider LIMIT 0")
    } catch {
      guard case .statement(_, let reason) = error else { throw error }
      throw .damaged(path: database.path, reason: reason)
    }
  }

  /// Moves a damaged file out of the way.
  private static func setAside(_ path: String, _ damage: SQLiteError) throws(SQLiteError) -> String
  {
    let aside = try SQLiteDatabase.setAside(path)
    return "weather store: \(damage); \(aside), a new one is begun"
  }
}
