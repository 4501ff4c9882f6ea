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

  private let database: SQLiteDatabase
  private let options: Options
  private(set) var count: Int
  private var bytes: Int
  /// The number of positions that were removed to make room.
  private(set) var thinnedCount = 0
  /// The number of positions that were too old.
  private(set) var expiredCount = 0
  /// The number of positions that were removed without an acknowledgement.
  var droppedCount: Int { thinnedCount + expiredCount }
  /// A message about a damaged file that was renamed; `nil` if the file was intact.
  let notice: String?

  /// Opens or creates the file; a damaged file is renamed, and a new file is created.
  ///
  /// Throws `SQLiteError` if the file cannot be opened.
  init(_ options: Options) throws(SQLiteError) {
    let (database, notice) = try SQLiteDatabase.openOrReplace(
      path: options.path, layout: Self.layout, pageBytes: 1024,
      checkedBy: "SELECT sequence, time_milliseconds, payload FROM outbox LIMIT 0")
    let totals = try database.rows("SELECT count(*), total(length(payload)) FROM outbox").first
    count = Int(totals?.first?.integer ?? 0)
    bytes = Int(totals?.last?.real ?? 0) + count * Self.rowBytes
    self.database = database
    self.options = options
    self.notice = notice
  }

  /// Adds a position, and removes positions beyond the limits.
  ///
  /// - Parameters:
  ///   - payload: The message without its sequence number.
  ///   - time: The time of the position; `nil` if it is unknown, and the position does not expire.
  ///   - now: The wall-clock time; `nil` if it is unknown.
  /// - Throws: `SQLiteError`; after an error, nothing was added or removed.
  mutating func add(_ payload: [UInt8], time: UTCTime?, now: UTCTime?) throws(SQLiteError) {
    let added = payload.count + Self.rowBytes
    let thinned = bytes + added > options.limitBytes ? max(count / 2, 2) : 0
    // The earlier time: a receiver's time that is years ahead must not expire all positions.
    let oldest = time.flatMap { time in
      now.map { min(time, $0).millisecondsSince1970 - Int64(options.keepDays) * 86_400_000 }
    }
    // Copied, since a closure cannot capture `self`.
    let database = database
    var (expired, thinnedOut): ([[SQLiteValue]], [[SQLiteValue]]) = ([], [])
    try database.transaction { () throws(SQLiteError) in
      try database.run(
        "INSERT INTO outbox (time_milliseconds, payload) VALUES (?, ?)",
        [time.map { .integer($0.millisecondsSince1970) } ?? .null, .blob(payload)])
      if let oldest { expired = try database.rows(Self.expire, [.integer(oldest)]) }
      if thinned > 0 { thinnedOut = try database.rows(Self.thin, [.integer(Int64(thinned))]) }
    }
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
