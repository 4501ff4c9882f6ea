// SPDX-License-Identifier: Apache-2.0

internal import FleetProtocol
internal import Synchronization
internal import SystemSupport

/// The tables of a fleet through one connection; calls run one at a time on blocking threads.
///
/// The connection also holds the advisory locks: PostgreSQL releases them when it is lost.
final class FleetStore: Sendable {
  /// The first key of all advisory locks of this program: "fixc" in ASCII.
  static let lockSpace = 0x6669_7863
  /// The second key of the lock for weather lookups; the shards have 0 to 15.
  static let weatherLock = 16

  private let connection: Mutex<PostgresConnection>

  private init(_ connection: consuming sending PostgresConnection) {
    self.connection = Mutex(connection)
  }

  /// Connects with a connection string or URI of libpq.
  static func connect(_ options: String) async throws(PostgresError) -> FleetStore {
    let result: Result<FleetStore, PostgresError> = await BlockingThread.value {
      do throws(PostgresError) {
        let connection = try PostgresConnection(options)
        // The server notices the loss of a host without a FIN, and releases its locks.
        try connection.execute(
          """
          SET tcp_keepalives_idle = 3; SET tcp_keepalives_interval = 2; SET tcp_keepalives_count = 3;
          SET statement_timeout = '60s'; SET idle_in_transaction_session_timeout = '60s';
          SET timezone = 'UTC'
          """)
        return .success(FleetStore(connection))
      } catch { return .failure(error) }
    }
    return try result.get()
  }

  /// Runs a body with the connection, on a thread of its own.
  func perform<Value: Sendable>(
    _ body: @escaping @Sendable (borrowing PostgresConnection) throws(PostgresError) -> Value
  ) async throws(PostgresError) -> Value {
    let result: Result<Value, PostgresError> = await BlockingThread.value {
      self.connection.withLock { connection in
        do throws(PostgresError) { return .success(try body(connection)) } catch {
          return .failure(error)
        }
      }
    }
    return try result.get()
  }

  // MARK: Schema

  /// Creates or upgrades the tables; returns the versions before and after.
  func migrate() async throws(PostgresError) -> (before: Int, after: Int) {
    try await perform { connection throws(PostgresError) in
      let known = FleetSchema.migrations.count
      return try connection.transaction { connection throws(PostgresError) in
        // Two programs that migrate at once wait for each other.
        try connection.rows("SELECT pg_advisory_xact_lock($1, -1)", ["\(Self.lockSpace)"])
        try connection.execute(FleetSchema.versions)
        let before = try Self.version(connection)
        guard before <= known else { throw .tooNew(version: before, known: known) }
        for number in before..<known {
          try connection.execute(FleetSchema.migrations[number])
          try connection.rows("INSERT INTO fleet.version (number) VALUES ($1)", ["\(number + 1)"])
        }
        try connection.execute(FleetSchema.postGIS)
        return (before, known)
      }
    }
  }

  /// Throws unless the tables have the version of this program.
  func checkVersion() async throws(PostgresError) {
    let known = FleetSchema.migrations.count
    let version = try await perform { connection throws(PostgresError) in
      let exists = try connection.rows("SELECT to_regclass('fleet.version') IS NOT NULL")
      return exists.first?.first == "t" ? try Self.version(connection) : 0
    }
    if version > known { throw .tooNew(version: version, known: known) }
    if version < known { throw .tooOld(version: version, needed: known) }
  }

  private static func version(
    _ connection: borrowing PostgresConnection
  ) throws(PostgresError) -> Int {
    let rows = try connection.rows("SELECT coalesce(max(number), 0) FROM fleet.version")
    return rows.first?.first.flatMap { $0 }.flatMap { Int($0) } ?? 0
  }

  /// The maximum number of rows of `fix_other` that one statement removes or moves: one to three seconds.
  private static let maxOtherRows = 100_000

  /// Creates the partitions of this and the next month, drops those beyond the retention, and
  /// removes old epochs.
  ///
  /// - Returns: The number of dropped partitions; `nil` if rows without a month of their own remain
  ///   to be removed or moved, so that another call is necessary.
  func maintainPartitions(retentionMonths: Int?) async throws(PostgresError) -> Int? {
    try await perform { connection throws(PostgresError) in
      // The functions of the tables move and delete all rows in one statement, so that there must be
      // few.
      let moved = try Self.changePartitions(connection) { connection throws(PostgresError) in
        try connection.rows(Self.moveFutureRows)
      }
      if Self.count(moved) == Self.maxOtherRows { return nil }
      try Self.changePartitions(connection) { connection throws(PostgresError) in
        try connection.rows("SELECT fleet.add_month(now()), fleet.add_month(now() + '1 month')")
        try Self.removeOldEpochs(connection)
      }
      guard let retentionMonths else { return 0 }
      let removed = try Self.changePartitions(connection) { connection throws(PostgresError) in
        try connection.rows(Self.removeOldRows, ["\(retentionMonths)"])
      }
      if Self.count(removed) == Self.maxOtherRows { return nil }
      let dropped = try Self.changePartitions(connection) { connection throws(PostgresError) in
        try connection.rows(
          "SELECT fleet.drop_months(now() - make_interval(months => $1::int))",
          ["\(retentionMonths)"])
      }
      return Self.count(dropped)
    }
  }

  /// Runs a body in a transaction that may change the partitions.
  ///
  /// Two consumers do not change the partitions at once. A long query of another program does not
  /// stop this consumer.
  @discardableResult
  private static func changePartitions<Value>(
    _ connection: borrowing PostgresConnection,
    _ body: (borrowing PostgresConnection) throws(PostgresError) -> Value
  ) throws(PostgresError) -> Value {
    try connection.transaction { connection throws(PostgresError) in
      try connection.execute("SET LOCAL lock_timeout = '2s'")
      try connection.rows("SELECT pg_advisory_xact_lock($1, -2)", ["\(lockSpace)"])
      return try body(connection)
    }
  }

  /// Returns the number in a result with one value.
  private static func count(_ rows: [[String?]]) -> Int {
    rows.first?.first.flatMap { $0 }.flatMap { Int($0) } ?? 0
  }

  /// Gives rows with a time in the future the time of their arrival; returns the number of them.
  ///
  /// Only earlier versions of this program inserted such rows.
  private static let moveFutureRows = """
    WITH moved AS (DELETE FROM fleet.fix_other WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM fleet.fix_other
        WHERE time > now() + interval '1 day' LIMIT \(maxOtherRows)))
      RETURNING *),
    inserted AS (
      INSERT INTO fleet.fix (board, epoch, seq, time, latitude, longitude, altitude_m, speed_mps,
        course_deg, accuracy_m, mode, satellites, simulated, time_estimated, reduced, received)
      SELECT board, epoch, seq, least(received, now()), latitude, longitude, altitude_m, speed_mps,
        course_deg, accuracy_m, mode, satellites, simulated, true, reduced, received FROM moved
      ON CONFLICT DO NOTHING)
    SELECT count(*) FROM moved
    """

  /// Removes rows of `fix_other` beyond the retention; returns the number of them.
  private static let removeOldRows = """
    WITH removed AS (DELETE FROM fleet.fix_other WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM fleet.fix_other WHERE time < now() - make_interval(months => $1::int)
        LIMIT \(maxOtherRows)))
      RETURNING 1)
    SELECT count(*) FROM removed
    """

  // MARK: Shards

  /// Tries to take an advisory lock, which is held until the connection ends.
  func tryLock(_ number: Int) async throws(PostgresError) -> Bool {
    try await perform { connection throws(PostgresError) in
      let rows = try connection.rows(
        "SELECT pg_try_advisory_lock($1, $2)", ["\(Self.lockSpace)", "\(number)"])
      return rows.first?.first == "t"
    }
  }

  /// Returns the progress of the newest epochs of all boards of a shard, the last used one last.
  func progress(
    of shard: FleetShard
  ) async throws(PostgresError) -> [(key: ProgressKey, progress: BoardProgress)] {
    try await perform { connection throws(PostgresError) in
      let rows = try connection.rows(
        """
        SELECT board, epoch, committed, highest FROM (\(Self.numberedEpochs(of: "WHERE shard = $1"))) AS numbered
        WHERE place <= \(FleetIntake.maxEpochs) ORDER BY seen
        """, ["\(shard.number)"])
      return rows.compactMap { row in
        guard let board = row[0].flatMap({ FleetBoardID($0) }),
          let epoch = row[1].flatMap({ Int64($0) }).flatMap({ FleetEpoch($0) }),
          let committed = row[2].flatMap({ Int64($0) }), let highest = row[3].flatMap({ Int64($0) })
        else { return nil }
        return (
          key: ProgressKey(board: board, epoch: epoch),
          progress: BoardProgress(committed: committed, highest: highest)
        )
      }
    }
  }

  /// Returns a query for rows of `progress`, with the place of an epoch among those of its board,
  /// the newest first.
  private static func numberedEpochs(of condition: String = "") -> String {
    """
    SELECT *, row_number() OVER (PARTITION BY board ORDER BY seen DESC, epoch) AS place
    FROM fleet.progress \(condition)
    """
  }

  /// Removes epochs that were not used for 30 days, except for the newest ones of each board.
  ///
  /// A consumer removes an epoch as soon as newer ones replace it. Others remain if several
  /// consumers serve a board, or from earlier versions of this program.
  private static func removeOldEpochs(
    _ connection: borrowing PostgresConnection
  ) throws(PostgresError) {
    try connection.execute(
      """
      DELETE FROM fleet.progress AS old USING (\(Self.numberedEpochs())) AS numbered
      WHERE old.board = numbered.board AND old.epoch = numbered.epoch
        AND place > \(FleetIntake.maxEpochs) AND old.seen < now() - interval '30 days'
      """)
  }

  // MARK: Fixes

  /// Commits a transaction; returns the number of rows that were inserted.
  @discardableResult
  func commit(_ transaction: FleetTransaction) async throws(PostgresError) -> Int {
    try await perform { connection throws(PostgresError) in
      try connection.transaction { connection throws(PostgresError) in
        try transaction.write(connection)
      }
    }
  }
}
