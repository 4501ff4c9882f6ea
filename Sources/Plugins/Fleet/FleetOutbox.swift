// SPDX-License-Identifier: Apache-2.0

internal import FleetProtocol
internal import Positioning
internal import SQLiteStore

/// Batches in an SQLite file, until the consumer has committed them.
///
/// A row is a batch, whose key is the sequence number of its last fix. If the file exceeds its size,
/// every second fix of the oldest day is removed, so that a long outage leaves a coarser track
/// instead of a gap.
struct FleetOutbox: ~Copyable, MQTTKeptMessages {
  /// The file, its limits and the board.
  struct Options: Equatable, Sendable {
    var path: String
    var board: FleetBoardID
    var shard: FleetShard
    /// The maximum size of the batches in the file.
    var limitBytes = 64_000_000
    /// The maximum age of a batch in days.
    var keepDays = 30
    /// The kernel's identifier of this boot.
    var boot: String?
    var isReduced = false
  }

  private static let layout = [
    """
    CREATE TABLE batch (last INTEGER PRIMARY KEY AUTOINCREMENT, first INTEGER NOT NULL,
      count INTEGER NOT NULL, time_milliseconds INTEGER, payload BLOB NOT NULL);
    CREATE TABLE epoch (number INTEGER NOT NULL);
    """
  ]
  /// The bytes of a row besides its payload, approximately.
  private static let rowBytes = 32
  /// The number of batches that are thinned out or expire with each new batch, to limit the time.
  static let stepCount = 64

  let epoch: FleetEpoch
  private let database: SQLiteDatabase
  private let options: Options
  /// The number of fixes.
  private(set) var count: Int64
  private(set) var bytes: Int
  /// The number of fixes that were removed since the start to make room, because of their age, or
  /// because they are precise.
  private(set) var droppedCount: Int64
  /// The batch that was thinned out last; the next pass continues after it.
  private var thinnedThrough: Int64 = 0
  /// Whether the oldest batch was stored under another id of the board.
  private let isRenamed: Bool

  /// Opens or creates the file; a new file gets a random epoch.
  ///
  /// A damaged file is renamed, and a new file is created. With reduced accuracy, batches with precise
  /// positions are removed, which were stored before the setting changed. `cause` is the error
  /// because of which the file is opened again.
  ///
  /// Throws `SQLiteError` if the file cannot be opened, or if precise positions cannot be removed.
  init(
    _ options: Options, after cause: SQLiteError? = nil,
    using generator: inout some RandomNumberGenerator
  ) throws(SQLiteError) {
    let database = try SQLiteDatabase.openOrReplace(
      path: options.path, layout: Self.layout, pageBytes: 1024,
      checkedBy:
        "SELECT last, first, count, time_milliseconds, payload, number FROM batch, epoch LIMIT 0",
      after: cause)
    let epoch = try Self.epoch(database, using: &generator)
    let dropped = options.isReduced ? try Self.dropPrecise(database) : 0
    let totals = try database.rows(
      "SELECT total(count), total(length(payload)), count(*) FROM batch"
    ).first
    let oldest = try database.rows("SELECT payload FROM batch ORDER BY last LIMIT 1").first
    let stored = oldest?.first?.blob.flatMap { try? FleetBatch(json: $0) }
    isRenamed = stored.map { $0.board != options.board } ?? false
    self.epoch = epoch
    droppedCount = dropped
    count = Int64(totals?[0].real ?? 0)
    bytes = Int(totals?[1].real ?? 0) + Int(totals?[2].integer ?? 0) * Self.rowBytes
    self.database = database
    self.options = options
  }

  /// Returns a message for the log about the file once; `nil` if there is none.
  func takeNotice() -> String? { database.takeNotice() }

  /// Removes the batches that are not known to be reduced, and returns the number of their fixes.
  private static func dropPrecise(_ database: SQLiteDatabase) throws(SQLiteError) -> Int64 {
    let removed = try database.transaction { () throws(SQLiteError) in
      try database.rows(
        """
        DELETE FROM batch WHERE CASE WHEN json_valid(CAST(payload AS TEXT))
          THEN ifnull(json_extract(CAST(payload AS TEXT), '$.red'), 0) ELSE 0 END = 0
          RETURNING count
        """)
    }
    return removed.reduce(0) { $0 + ($1[0].integer ?? 0) }
  }

  /// Returns the stored epoch, or stores a random one.
  private static func epoch(
    _ database: SQLiteDatabase, using generator: inout some RandomNumberGenerator
  ) throws(SQLiteError) -> FleetEpoch {
    let stored = try database.rows("SELECT number FROM epoch").first?.first?.integer
    if let epoch = stored.flatMap({ FleetEpoch($0) }) { return epoch }
    let epoch = FleetEpoch(using: &generator)
    try database.transaction { () throws(SQLiteError) in
      try database.run("DELETE FROM epoch")
      try database.run("INSERT INTO epoch (number) VALUES (?)", [.integer(epoch.number)])
    }
    return epoch
  }

  /// Adds a batch in one transaction, and removes fixes beyond the limits.
  ///
  /// - Parameters:
  ///   - draft: The fixes.
  ///   - now: The wall-clock time; `nil` if it is unknown, and nothing expires.
  /// - Throws: `SQLiteError`; after an error, nothing was added or removed.
  mutating func add(_ draft: FleetBatcher.Draft, now: UTCTime?) throws(SQLiteError) {
    guard !draft.fixes.isEmpty else { return }
    try database.checkPlace()
    // Copied, since a closure cannot capture `self`.
    let database = database
    let (before, limit) = (bytes, options.limitBytes)
    var change = Change(thinnedThrough: thinnedThrough)
    let empty = FleetBatch(board: options.board, epoch: epoch, entries: [])
    let (boot, isReduced) = (options.boot, options.isReduced)
    let expiry = expiry(of: draft, now: now)
    try database.transaction { () throws(SQLiteError) in
      let last = try database.rows("SELECT seq FROM sqlite_sequence WHERE name = 'batch'").first
      var batch = empty
      let first = (last?.first?.integer ?? 0) + 1
      batch.entries = zip(first..., draft.fixes).map { .init(sequence: $0, fix: $1) }
      (batch.boot, batch.isSimulated, batch.isReduced) = (boot, draft.isSimulated, isReduced)
      let payload = batch.json
      try database.run(
        "INSERT INTO batch (last, first, count, time_milliseconds, payload) VALUES (?, ?, ?, ?, ?)",
        [
          .integer(first + Int64(draft.fixes.count) - 1), .integer(first),
          .integer(Int64(draft.fixes.count)),
          draft.fixes.last?.timeMilliseconds.map(SQLiteValue.integer) ?? .null, .blob(payload),
        ])
      change.added(count: draft.fixes.count, bytes: payload.count)
      if let expiry { try change.expire(before: expiry, database) }
      if before + change.bytes > limit { try change.thin(database) }
    }
    count += change.count
    bytes += change.bytes
    droppedCount += change.dropped
    thinnedThrough = change.thinnedThrough
  }

  /// Returns the time before which batches expire; `nil` if the time is unknown.
  ///
  /// The earlier one of the two clocks counts: a receiver's time that is years ahead must not expire
  /// everything.
  private func expiry(of draft: FleetBatcher.Draft, now: UTCTime?) -> Int64? {
    guard let time = draft.fixes.last?.timeMilliseconds, let now else { return nil }
    return min(time, now.millisecondsSince1970) - Int64(options.keepDays) * 86_400_000
  }

  func undelivered() throws(SQLiteError) -> (count: Int, oldestAt: UTCTime?) {
    let rows = try database.rows("SELECT time_milliseconds FROM batch ORDER BY last LIMIT 1")
    let oldest = rows.first?.first?.integer.map { UTCTime(millisecondsSince1970: $0) }
    return (Int(clamping: count), oldest)
  }

  mutating func next(
    after sequence: Int64
  ) throws(SQLiteError) -> (sequence: Int64, message: MQTTMessage)? {
    let rows = try database.rows(
      """
      SELECT last, first, payload, (SELECT max(last) FROM batch AS earlier
        WHERE earlier.last < batch.last) FROM batch WHERE last > ? ORDER BY last LIMIT 1
      """, [.integer(sequence)])
    guard let row = rows.first, let last = row[0].integer, let first = row[1].integer,
      var payload = row[2].blob
    else { return nil }
    let previous = row[3].integer ?? 0
    // Earlier fixes may have been removed, and the board's id may have changed.
    if previous != first - 1 || isRenamed, var batch = try? FleetBatch(json: payload) {
      (batch.previous, batch.board) = (previous, options.board)
      payload = batch.json
    }
    let topic = FleetTopic(.fix, options.board, shard: options.shard).description
    return (last, MQTTMessage(topic: topic, payload: payload, isRetained: false))
  }

  /// Removes batches by the sequence numbers of their last fixes.
  ///
  /// The removal is not synced to the disk: after a power cut, the batch is published again with the
  /// same sequence numbers.
  mutating func remove(_ sequences: ClosedRange<Int64>) throws(SQLiteError) {
    let database = database
    let removed = try database.transaction(isSynced: false) { () throws(SQLiteError) in
      try database.rows(
        "DELETE FROM batch WHERE last BETWEEN ? AND ? RETURNING count, length(payload)",
        [.integer(sequences.lowerBound), .integer(sequences.upperBound)])
    }
    for row in removed {
      count -= row[0].integer ?? 0
      bytes -= Int(row[1].integer ?? 0) + Self.rowBytes
    }
  }

  /// The changes of a transaction.
  private struct Change {
    var thinnedThrough: Int64
    var count: Int64 = 0
    var bytes = 0
    var dropped: Int64 = 0

    mutating func added(count: Int, bytes: Int) {
      self.count += Int64(count)
      self.bytes += bytes + FleetOutbox.rowBytes
    }

    mutating func expire(before time: Int64, _ database: SQLiteDatabase) throws(SQLiteError) {
      let rows = try database.rows(
        """
        DELETE FROM batch WHERE time_milliseconds < ? AND last IN
          (SELECT last FROM batch ORDER BY last LIMIT ?) RETURNING count, length(payload)
        """, [.integer(time), .integer(Int64(FleetOutbox.stepCount))])
      for row in rows { remove(count: row[0].integer ?? 0, bytes: Int(row[1].integer ?? 0)) }
    }

    /// Removes every second fix of the next batches of the oldest day, and every second batch of one
    /// fix.
    mutating func thin(_ database: SQLiteDatabase) throws(SQLiteError) {
      var rows = try oldestDay(database)
      if rows.isEmpty, thinnedThrough > 0 {
        thinnedThrough = 0
        rows = try oldestDay(database)
      }
      // The first one is removed, so that each pass makes room.
      var keepsSingle = true
      for row in rows {
        guard let last = row[0].integer, let count = row[1].integer, let payload = row[2].blob
        else { continue }
        thinnedThrough = last
        if count == 1 {
          keepsSingle.toggle()
          if keepsSingle { continue }
        }
        guard count > 1, var batch = try? FleetBatch(json: payload) else {
          try database.run("DELETE FROM batch WHERE last = ?", [.integer(last)])
          remove(count: count, bytes: payload.count)
          continue
        }
        // The last fix stays, since its sequence number is the key.
        let entries = batch.entries
        batch.entries = entries.indices.filter { (entries.count - 1 - $0) % 2 == 0 }
          .map { entries[$0] }
        let thinned = batch.json
        try database.run(
          "UPDATE batch SET first = ?, count = ?, payload = ? WHERE last = ?",
          [
            .integer(batch.entries.first?.sequence ?? last), .integer(Int64(batch.entries.count)),
            .blob(thinned), .integer(last),
          ])
        let removed = count - Int64(batch.entries.count)
        (self.count, dropped) = (self.count - removed, dropped + removed)
        bytes -= payload.count - thinned.count
      }
    }

    /// Returns batches after the last thinned one that are within a day of the oldest batch.
    private func oldestDay(_ database: SQLiteDatabase) throws(SQLiteError) -> [[SQLiteValue]] {
      try database.rows(
        """
        SELECT last, count, payload FROM batch WHERE last > ? AND
          ifnull(time_milliseconds, 0) <= 86400000 + ifnull(
            (SELECT time_milliseconds FROM batch WHERE time_milliseconds NOT NULL
              ORDER BY last LIMIT 1), 0)
        ORDER BY last LIMIT ?
        """, [.integer(thinnedThrough), .integer(Int64(FleetOutbox.stepCount))])
    }

    private mutating func remove(count: Int64, bytes: Int) {
      (self.count, dropped) = (self.count - count, dropped + count)
      self.bytes -= bytes + FleetOutbox.rowBytes
    }
  }
}
