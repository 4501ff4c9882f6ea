// SPDX-License-Identifier: Apache-2.0

internal import FleetProtocol

/// The changes to the tables by a number of messages.
///
/// Its size is limited, because 120 bytes of a message may be 500 fixes.
struct FleetTransaction: Equatable, Sendable {
  /// The maximum number of rows of the table `fix`.
  static let maxRows = 20_000
  /// The maximum number of messages.
  static let maxMessages = 2000
  /// The size of the payloads in bytes above which no message is added.
  static let maxBytes = 4 << 20

  /// A row of the table `fix`.
  struct Row: Equatable, Sendable {
    var key: ProgressKey
    var sequence: Int64
    var fix: FleetFix
    /// The receiver's Unix time in milliseconds, or an estimate.
    var timeMilliseconds: Int64
    var isTimeEstimated: Bool
    var isSimulated: Bool
    var isReduced: Bool
  }

  /// A change of the row of a board.
  struct BoardChange: Equatable, Sendable {
    var shard: FleetShard
    /// The Unix time of the last message in milliseconds; of a message that the broker had kept, the
    /// time of its fix, or `nil` if that is unknown.
    var seenMilliseconds: Int64?
    /// The newest fix; `nil` to keep the last one.
    var newest: Row?
    /// The last status; `nil` to keep it.
    var status: FleetStatus?
  }

  /// The messages whose changes these are.
  var deliveries: [Delivery] = []
  /// Messages beyond the limit of their board, which are acknowledged to the broker only.
  var refused: [Delivery] = []
  /// The size of the payloads of all messages in bytes.
  var byteCount = 0
  /// Rows that are certainly not in the table.
  var rows: [Row] = []
  /// Rows that may be in the table, with another estimated time.
  var possibleRepeats: [Row] = []
  var progress: [ProgressKey: BoardProgress] = [:]
  /// The epochs of each board with a batch, the last used one last.
  var epochs: [FleetBoardID: [FleetEpoch]] = [:]
  /// Committed epochs that newer ones of the same board replace.
  var removed: Set<ProgressKey> = []
  var boards: [FleetBoardID: BoardChange] = [:]

  var isEmpty: Bool { boards.isEmpty }

  /// Whether the largest batch may be added.
  var hasRoom: Bool {
    rows.count + possibleRepeats.count + FleetBatch.maxCount <= Self.maxRows
      && deliveries.count + refused.count < Self.maxMessages && byteCount < Self.maxBytes
  }

  /// The progress alone, for messages with a value that the database rejects.
  var withoutFixes: FleetTransaction {
    var transaction = FleetTransaction()
    (transaction.progress, transaction.epochs) = (progress, epochs)
    (transaction.deliveries, transaction.removed) = (deliveries, removed)
    transaction.boards = boards.mapValues { change in
      BoardChange(shard: change.shard, seenMilliseconds: change.seenMilliseconds)
    }
    return transaction
  }

  /// The number of rows in a statement.
  private static let chunk = 5000

  /// Executes the statements; returns the number of rows that were inserted.
  func write(_ connection: borrowing PostgresConnection) throws(PostgresError) -> Int {
    var count = try insert(rows, connection)
    count += try insert(try missing(connection), connection)
    try writeBoards(connection)
    try removeProgress(connection)
    try writeProgress(connection)
    return count
  }

  private func insert(
    _ rows: [Row], _ connection: borrowing PostgresConnection
  ) throws(PostgresError) -> Int {
    var count = 0
    for start in stride(from: 0, to: rows.count, by: Self.chunk) {
      var table = ArrayParameters(columns: 14)
      for row in rows[start..<min(start + Self.chunk, rows.count)] {
        let fix = row.fix
        table.append(0, row.key.board.text)
        table.append(1, row.key.epoch.number)
        table.append(2, row.sequence)
        table.append(3, Double(row.timeMilliseconds) / 1000)
        table.append(4, Double(fix.latitudeE7) / 1e7)
        table.append(5, Double(fix.longitudeE7) / 1e7)
        table.append(6, fix.altitudeDecimeters.map { Double($0) / 10 })
        table.append(7, fix.speedCentimetersPerSecond.map { Double($0) / 100 })
        table.append(8, fix.courseTenthsOfDegree.map { Double($0) / 10 })
        table.append(9, fix.errorDecimeters.map { Double($0) / 10 })
        table.append(10, fix.mode)
        table.append(11, fix.satellites)
        table.append(12, row.isSimulated ? "t" : "f")
        table.append(
          13, row.isTimeEstimated ? (row.isReduced ? "3" : "1") : row.isReduced ? "2" : "0")
      }
      let inserted = try connection.rows(
        """
        WITH inserted AS (
          INSERT INTO fleet.fix (board, epoch, seq, time, latitude, longitude, altitude_m,
            speed_mps, course_deg, accuracy_m, mode, satellites, simulated, time_estimated, reduced)
          SELECT board, epoch, seq, to_timestamp(time), latitude, longitude, altitude, speed, course,
            accuracy, mode, satellites, simulated, flags & 1 <> 0, flags & 2 <> 0
          FROM unnest($1::text[], $2::integer[], $3::bigint[], $4::double precision[],
            $5::double precision[], $6::double precision[], $7::real[], $8::real[], $9::real[],
            $10::real[], $11::smallint[], $12::smallint[], $13::boolean[], $14::integer[])
            AS new (board, epoch, seq, time, latitude, longitude, altitude, speed, course, accuracy,
            mode, satellites, simulated, flags)
          ON CONFLICT DO NOTHING RETURNING 1)
        SELECT count(*) FROM inserted
        """, table.texts)
      count += inserted.first?.first.flatMap { $0 }.flatMap { Int($0) } ?? 0
    }
    return count
  }

  /// Returns the possible repeats that are not in the table.
  ///
  /// The numbers of a batch may be far apart, so only those of the batch are read.
  private func missing(
    _ connection: borrowing PostgresConnection
  ) throws(PostgresError) -> [Row] {
    var missing: [Row] = []
    for (key, rows) in Dictionary(grouping: possibleRepeats, by: \.key) {
      var table = ArrayParameters(columns: 1)
      for row in rows { table.append(0, row.sequence) }
      // With LIMIT, the server uses the index for each number, also in a month without statistics.
      let found = try connection.rows(
        """
        SELECT wanted.seq FROM unnest($3::bigint[]) AS wanted (seq) CROSS JOIN LATERAL
          (SELECT FROM fleet.fix WHERE board = $1 AND epoch = $2 AND fix.seq = wanted.seq LIMIT 1)
          AS found
        """, [key.board.text, "\(key.epoch.number)", table.texts[0]])
      var known = Set(found.compactMap { $0.first.flatMap { $0 }.flatMap { Int64($0) } })
      for row in rows where known.insert(row.sequence).inserted { missing.append(row) }
    }
    return missing
  }

  private func writeBoards(_ connection: borrowing PostgresConnection) throws(PostgresError) {
    guard !boards.isEmpty else { return }
    var table = ArrayParameters(columns: 12)
    // In the order of the key, so that two transactions cannot wait for each other.
    for (board, change) in boards.sorted(by: { $0.key.text < $1.key.text }) {
      let newest = change.newest
      table.append(0, board.text)
      table.append(1, Int64(change.shard.number))
      table.append(2, change.seenMilliseconds.map { Double($0) / 1000 })
      table.append(3, newest.map { Double($0.timeMilliseconds) / 1000 })
      table.append(4, newest.map { Double($0.fix.latitudeE7) / 1e7 })
      table.append(5, newest.map { Double($0.fix.longitudeE7) / 1e7 })
      table.append(6, newest.map { $0.isSimulated ? "t" : "f" })
      table.append(7, newest.map { $0.isReduced ? "t" : "f" })
      table.append(8, change.status.map { $0.isOnline ? "t" : "f" })
      table.append(9, change.status?.pendingCount)
      table.append(10, change.status?.droppedCount)
      table.append(11, change.status?.problem)
    }
    try connection.rows(
      """
      INSERT INTO fleet.board AS old (board, shard, last_seen, fix_time, latitude, longitude,
        simulated, reduced, online, pending, dropped, problem)
      SELECT board, shard, to_timestamp(coalesce(seen, 0)), to_timestamp(fix), latitude, longitude, simulated,
        reduced, online, pending, dropped, problem
      FROM unnest($1::text[], $2::smallint[], $3::double precision[], $4::double precision[],
        $5::double precision[], $6::double precision[], $7::boolean[], $8::boolean[],
        $9::boolean[], $10::bigint[], $11::bigint[], $12::text[])
        AS new (board, shard, seen, fix, latitude, longitude, simulated, reduced, online, pending,
        dropped, problem)
      ON CONFLICT (board) DO UPDATE SET
        shard = excluded.shard,
        -- Earlier versions of the program wrote times in the future.
        last_seen = least(greatest(excluded.last_seen, old.last_seen), now()),
        (fix_time, latitude, longitude, simulated, reduced) = (
          SELECT fix_time, latitude, longitude, simulated, reduced FROM (VALUES
            (excluded.fix_time, excluded.latitude, excluded.longitude, excluded.simulated,
              excluded.reduced, 1),
            (old.fix_time, old.latitude, old.longitude, old.simulated, old.reduced, 2))
            AS either (fix_time, latitude, longitude, simulated, reduced, place)
          -- A position from the outbox may be older than that of a status. A time in the future is
          -- an error of a receiver, and must not stay for years.
          ORDER BY fix_time > now() + interval '1 day', fix_time DESC NULLS LAST, place LIMIT 1),
        online = coalesce(excluded.online, old.online),
        pending = coalesce(excluded.pending, old.pending),
        dropped = coalesce(excluded.dropped, old.dropped),
        problem = CASE WHEN excluded.online IS NULL THEN old.problem ELSE excluded.problem END
      """, table.texts)
  }

  private func removeProgress(_ connection: borrowing PostgresConnection) throws(PostgresError) {
    guard !removed.isEmpty else { return }
    var table = ArrayParameters(columns: 2)
    for key in removed {
      table.append(0, key.board.text)
      table.append(1, key.epoch.number)
    }
    try connection.rows(
      """
      DELETE FROM fleet.progress AS old
      USING unnest($1::text[], $2::integer[]) AS removed (board, epoch)
      WHERE old.board = removed.board AND old.epoch = removed.epoch
      """, table.texts)
  }

  private func writeProgress(_ connection: borrowing PostgresConnection) throws(PostgresError) {
    guard !progress.isEmpty else { return }
    var table = ArrayParameters(columns: 5)
    let sorted = progress.sorted {
      ($0.key.board.text, $0.key.epoch.number) < ($1.key.board.text, $1.key.epoch.number)
    }
    for (key, value) in sorted {
      table.append(0, key.board.text)
      table.append(1, key.epoch.number)
      table.append(2, Int64(boards[key.board]?.shard.number ?? key.board.shard.number))
      table.append(3, value.committed)
      table.append(4, value.highest)
    }
    try connection.rows(
      """
      INSERT INTO fleet.progress AS old (board, epoch, shard, committed, highest)
      SELECT * FROM unnest($1::text[], $2::integer[], $3::smallint[], $4::bigint[], $5::bigint[])
      ON CONFLICT (board, epoch) DO UPDATE SET shard = excluded.shard,
        committed = greatest(old.committed, excluded.committed),
        highest = greatest(old.highest, excluded.highest), seen = now()
      """, table.texts)
  }
}
