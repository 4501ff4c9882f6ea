// SPDX-License-Identifier: Apache-2.0

internal import Positioning
internal import SQLiteStore

/// Positions in an SQLite file, until the broker acknowledges them.
///
/// If the file exceeds its size, every second position of the older half is removed, so that a long
/// outage leaves a coarser track instead of a gap.
struct MQTTOutbox: ~Copyable {
  /// The file and its limits.
  struct Options: Equatable, Sendable {
    var path: String
    /// The maximum size of the positions in the file.
    var limitBytes = 20_000_000
    /// The maximum age of a position in days.
    var keepDays = 30
  }

  /// A kept position.
  struct Item: Equatable, Sendable {
    /// The sequence number, which is never used again for the same file.
    let sequence: Int64
    let payload: [UInt8]
  }

  private static let layout = [
    """
    CREATE TABLE outbox (sequence INTEGER PRIMARY KEY AUTOINCREMENT,
      time_milliseconds INTEGER, payload BLOB NOT NULL);
    """
  ]
  /// The bytes of a row besides its payload, approximately.
  private static let rowBytes = 24

  /// Removes expired positions, at most 100 at a time.
  private static let expire = """
    DELETE FROM outbox WHERE time_milliseconds < ? AND sequence IN
      (SELECT sequence FROM outbox ORDER BY sequence LIMIT 100) RETURNING length(payload)
    """
  /// Removes every second position of the oldest ones.
  private static let thin = """
    DELETE FROM outbox WHERE sequence IN (SELECT sequence FROM
      (SELECT sequence, row_number() OVER (ORDER BY sequence) AS number FROM outbox
        ORDER BY sequence LIMIT ?)
      WHERE number % 2 = 0) RETURNING length(payload)
    """

  private var database: SQLiteDatabase
  private let options: Options
  private(set) var count: Int
  private var bytes: Int
  /// The last sequence number that was used.
  private var lastSequence: Int64
  /// The number of positions that were removed to make room.
  private(set) var thinnedCount = 0
  /// The number of positions that were too old.
  private(set) var expiredCount = 0
  /// The number of positions in files that were moved or damaged before they were published.
  private var abandonedCount = 0
  /// The number of positions that were removed without an acknowledgement.
  var droppedCount: Int { thinnedCount + expiredCount }

  /// Opens or creates the file; a damaged file is renamed, and a new file is created.
  ///
  /// Throws `SQLiteError` if the file cannot be opened.
  init(_ options: Options) throws(SQLiteError) {
    let opened = try Self.open(options, lastSequence: 0)
    self.options = options
    (database, count, bytes, lastSequence) = opened
  }

  /// Opens or creates the file; a new file continues after a sequence number.
  private static func open(
    _ options: Options, lastSequence: Int64, after cause: SQLiteError? = nil
  ) throws(SQLiteError) -> (SQLiteDatabase, count: Int, bytes: Int, lastSequence: Int64) {
    let database = try SQLiteDatabase.openOrReplace(
      path: options.path, layout: layout, pageBytes: 1024,
      checkedBy: "SELECT sequence, time_milliseconds, payload FROM outbox LIMIT 0", after: cause)
    let totals = try database.rows("SELECT count(*), total(length(payload)) FROM outbox").first
    let count = Int(totals?.first?.integer ?? 0)
    let bytes = Int(totals?.last?.real ?? 0) + count * rowBytes
    let stored = try database.rows("SELECT seq FROM sqlite_sequence WHERE name = 'outbox'").first
    let last = stored?.first?.integer ?? 0
    guard last < lastSequence else { return (database, count, bytes, last) }
    try database.transaction { () throws(SQLiteError) in
      try database.run("DELETE FROM sqlite_sequence WHERE name = 'outbox'")
      try database.run(
        "INSERT INTO sqlite_sequence (name, seq) VALUES ('outbox', ?)", [.integer(lastSequence)])
    }
    return (database, count, bytes, lastSequence)
  }

  /// Opens the file again, since another program moved or damaged it.
  ///
  /// The sequence numbers continue, since the connection has published messages up to the last one.
  private mutating func reopen(after error: SQLiteError) throws(SQLiteError) {
    database.close(after: error)
    let unpublishedCount = count
    (database, count, bytes, lastSequence) = try Self.open(
      options, lastSequence: lastSequence, after: error)
    abandonedCount += unpublishedCount
  }

  /// Returns a message for the log about the file once; `nil` if there is none.
  mutating func takeNotice() -> String? {
    guard let notice = database.takeNotice() else { return nil }
    defer { abandonedCount = 0 }
    return abandonedCount > 0
      ? "\(notice); \(abandonedCount) positions in the earlier file are not published" : notice
  }

  /// Adds a position, and removes positions beyond the limits.
  ///
  /// - Parameters:
  ///   - payload: The message without its sequence number.
  ///   - time: The time of the position; `nil` if it is unknown, and the position does not expire.
  ///   - now: The wall-clock time; `nil` if it is unknown.
  /// - Throws: `SQLiteError`; after an error, nothing was added or removed.
  mutating func add(_ payload: [UInt8], time: UTCTime?, now: UTCTime?) throws(SQLiteError) {
    do throws(SQLiteError) {
      try database.checkPlace()
      try insert(payload, time: time, now: now)
    } catch {
      guard error.needsReopening else { throw error }
      try reopen(after: error)
      try insert(payload, time: time, now: now)
    }
  }

  private mutating func insert(
    _ payload: [UInt8], time: UTCTime?, now: UTCTime?
  ) throws(SQLiteError) {
    let added = payload.count + Self.rowBytes
    let thinned = bytes + added > options.limitBytes ? max(count / 2, 2) : 0
    // The earlier time: a receiver's time that is years ahead must not expire all positions.
    let oldest = time.flatMap { time in
      now.map { min(time, $0).millisecondsSince1970 - Int64(options.keepDays) * 86_400_000 }
    }
    // Copied, since a closure cannot capture `self`.
    let database = database
    var sequence = lastSequence
    var (expired, thinnedOut): ([[SQLiteValue]], [[SQLiteValue]]) = ([], [])
    try database.transaction { () throws(SQLiteError) in
      let inserted = try database.rows(
        "INSERT INTO outbox (time_milliseconds, payload) VALUES (?, ?) RETURNING sequence",
        [time.map { .integer($0.millisecondsSince1970) } ?? .null, .blob(payload)])
      sequence = inserted.first?.first?.integer ?? sequence
      if let oldest { expired = try database.rows(Self.expire, [.integer(oldest)]) }
      if thinned > 0 { thinnedOut = try database.rows(Self.thin, [.integer(Int64(thinned))]) }
    }
    lastSequence = sequence
    let removed = expired + thinnedOut
    let removedBytes = removed.reduce(0) { $0 + Int($1.first?.integer ?? 0) + Self.rowBytes }
    count += 1 - removed.count
    bytes += added - removedBytes
    expiredCount += expired.count
    thinnedCount += thinnedOut.count
  }

  /// Returns the first position after a sequence number; `nil` if there is none.
  func next(after sequence: Int64) throws(SQLiteError) -> Item? {
    let rows = try database.rows(
      "SELECT sequence, payload FROM outbox WHERE sequence > ? ORDER BY sequence LIMIT 1",
      [.integer(sequence)])
    guard let row = rows.first, let number = row.first?.integer else { return nil }
    return Item(sequence: number, payload: row.last?.blob ?? [])
  }

  /// Returns the time of the first position; `nil` without a position, or if its time is unknown.
  func oldestAt() throws(SQLiteError) -> UTCTime? {
    let rows = try database.rows(
      "SELECT time_milliseconds FROM outbox ORDER BY sequence LIMIT 1")
    return rows.first?.first?.integer.map { UTCTime(millisecondsSince1970: $0) }
  }

  /// Removes positions after their acknowledgement.
  ///
  /// The removal is not synced to the disk: after a power cut, the position is published again with
  /// the same sequence number.
  mutating func remove(_ sequences: ClosedRange<Int64>) throws(SQLiteError) {
    let database = database
    let removed = try database.transaction(isSynced: false) { () throws(SQLiteError) in
      try database.rows(
        "DELETE FROM outbox WHERE sequence BETWEEN ? AND ? RETURNING length(payload)",
        [.integer(sequences.lowerBound), .integer(sequences.upperBound)])
    }
    count -= removed.count
    bytes -= removed.reduce(0) { $0 + Int($1.first?.integer ?? 0) + Self.rowBytes }
  }
}
