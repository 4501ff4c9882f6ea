// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import FleetProtocol
import Testing

@testable import fixcast_fleet

@Suite("Tables of a fleet in PostgreSQL", .enabled(if: TestDatabase.isInstalled))
struct FleetStoreTests {
  private static func useStore(
    _ body: (FleetStore, TestDatabase) async throws -> Void
  ) async throws {
    let folder = try ScratchFolder()
    let database = try await TestDatabase(folder)
    try await database.use { _ in
      let store = try await FleetStore.connect(database.options)
      _ = try await store.migrate()
      _ = try await store.maintainPartitions(retentionMonths: nil)
      try await body(store, database)
    }
  }

  @Test func `init creates the tables once, and a program rejects tables of other versions`() async throws {
    try await Self.useStore { store, database in
      let (before, after) = try await store.migrate()
      #expect(before == FleetSchema.migrations.count)
      #expect(after == before)
      try await store.checkVersion()
      _ = try await database.query("INSERT INTO fleet.version (number) VALUES (99)")
      await #expect(throws: PostgresError.tooNew(version: 99, known: after)) {
        try await store.checkVersion()
      }
      await #expect(throws: PostgresError.tooNew(version: 99, known: after)) {
        _ = try await store.migrate()
      }
      _ = try await database.query("DROP TABLE fleet.version")
      await #expect(throws: PostgresError.tooOld(version: 0, needed: after)) {
        try await store.checkVersion()
      }
    }
  }

  @Test func `a repeated fix whose estimated time differs is not written twice`() async throws {
    try await Self.useStore { store, database in
      var intake = FleetIntake()
      // The first batch is missing, so that the second one is not known to be committed.
      var late = try TestBatch(boot: "abc").delivery(11...20)
      for arrival in [0, 60_000, 120_000] as [Int64] {
        late.arrivalMilliseconds = TestBatch.time + arrival
        let transaction = intake.transaction(for: [late, late])
        let count = try await store.commit(transaction)
        intake.committed(transaction, insertedRows: count)
        #expect(count == (arrival == 0 ? 10 : 0))
      }
      #expect(
        try await database.query("SELECT count(*), bool_and(time_estimated) FROM fleet.fix")
          == ["10|t"])
      // Another consumer loads the progress.
      let board = try #require(FleetBoardID("b1"))
      let progress = try await store.progress(of: board.shard)
      #expect(progress.map(\.progress) == [BoardProgress(committed: 0, highest: 20)])
    }
  }

  @Test func `a batch whose numbers are far apart does not read the rows between them`() async throws {
    try await Self.useStore { store, database in
      _ = try await database.query(
        """
        INSERT INTO fleet.fix (board, epoch, seq, time, latitude, longitude, simulated,
          time_estimated, reduced)
        SELECT 'b1', 3, number, to_timestamp(1790000000 + number), 52, 13, false, false, false
        FROM generate_series(1, 100000) AS number
        """)
      _ = try await database.query("INSERT INTO fleet.progress VALUES ('b1', 3, 7, 0, 100000)")
      let board = try #require(FleetBoardID("b1"))
      var intake = FleetIntake()
      intake.addProgress(try await store.progress(of: board.shard))
      var batch = try TestBatch(previous: 1).batch(2...3)
      batch.entries[1].sequence = 99_999
      var delivery = try TestBatch().delivery(2...3)
      delivery.payload = batch.json
      let transaction = intake.transaction(for: [delivery])
      #expect(transaction.possibleRepeats.count == 2)
      let (inserted, read) = try await store.perform { connection throws(PostgresError) in
        try connection.transaction { connection throws(PostgresError) in
          let inserted = try transaction.write(connection)
          let read = try connection.rows(
            """
            SELECT sum(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0))
            FROM pg_stat_xact_user_tables WHERE relname LIKE 'fix%'
            """)
          return (inserted, read.first?.first.flatMap { $0 }.flatMap { Int($0) })
        }
      }
      #expect(inserted == 0)
      #expect(try #require(read) < 100)
    }
  }

  @Test func `the table keeps the newest four epochs of a board, and a consumer loads only those`() async throws {
    try await Self.useStore { store, database in
      let shard = try #require(FleetBoardID("b1")).shard
      var intake = FleetIntake()
      for epochs in [1...3, 3...8, 9...9] as [ClosedRange<Int64>] {
        let deliveries = try epochs.map { try TestBatch(epoch: $0).delivery(1...2) }
        let transaction = intake.transaction(for: deliveries)
        intake.committed(transaction, insertedRows: try await store.commit(transaction))
      }
      let query = "SELECT epoch FROM fleet.progress ORDER BY epoch"
      #expect(try await database.query(query) == ["6", "7", "8", "9"])
      // Rows of an earlier version of the program.
      _ = try await database.query(
        """
        INSERT INTO fleet.progress SELECT 'b1', 100 + number, \(shard.number), 0, 0,
          now() - make_interval(days => 10 * number) FROM generate_series(1, 6) AS number
        """)
      let loaded = try await store.progress(of: shard)
      #expect(loaded.map(\.key.epoch.number).sorted() == [6, 7, 8, 9])
      _ = try await store.maintainPartitions(retentionMonths: nil)
      #expect(
        try await database.query(query) == ["6", "7", "8", "9", "101", "102"])
    }
  }

  @Test func `all values of a fix arrive in their columns and units`() async throws {
    try await Self.useStore { store, database in
      var batch = try TestBatch().batch(1...2)
      batch.isReduced = true
      batch.entries[1].fix.altitudeDecimeters = -12
      batch.entries[1].fix.speedCentimetersPerSecond = 250
      batch.entries[1].fix.courseTenthsOfDegree = 3599
      batch.entries[1].fix.errorDecimeters = 24
      batch.entries[1].fix.mode = 3
      batch.entries[1].fix.satellites = 11
      var delivery = try TestBatch().delivery(1...1)
      delivery.payload = batch.json
      var intake = FleetIntake()
      #expect(try await store.commit(intake.transaction(for: [delivery])) == 2)
      #expect(
        try await database.query(
          """
          SELECT seq, extract(epoch FROM time)::bigint, latitude, longitude, altitude_m, speed_mps,
            course_deg, accuracy_m, mode, satellites, simulated, time_estimated, reduced
          FROM fleet.fix ORDER BY seq
          """) == [
            "1|1790000001|52.0000001|13|NULL|NULL|NULL|NULL|NULL|NULL|f|f|t",
            "2|1790000002|52.0000002|13|-1.2|2.5|359.9|2.4|3|11|f|f|t",
          ])
      #expect(
        try await database.query("SELECT board, latitude, reduced FROM fleet.board")
          == ["b1|52.0000002|t"])
    }
  }

  @Test
  func `an older fix does not replace the position of a board, and a time in the future is replaced`() async throws {
    try await Self.useStore { store, database in
      var intake = FleetIntake()
      let year3000: Int64 = 32_503_680_000_000
      for (sequence, time) in [
        (1, year3000), (2, TestBatch.time + 9000), (3, TestBatch.time + 5000),
      ] as [(Int64, Int64)] {
        var batch = try TestBatch().batch(sequence...sequence)
        batch.entries[0].fix.timeMilliseconds = time
        var delivery = try TestBatch().delivery(1...1)
        delivery.payload = batch.json
        delivery.arrivalMilliseconds = TestBatch.time + sequence
        let transaction = intake.transaction(for: [delivery])
        try await store.commit(transaction)
        intake.committed(transaction, insertedRows: 1)
        // Earlier versions of the program accepted any time.
        guard sequence == 1 else { continue }
        _ = try await database.query("UPDATE fleet.board SET fix_time = '3000-01-01'")
      }
      #expect(
        try await database.query("SELECT latitude FROM fleet.board") == ["52.0000002"])
    }
  }

  @Test func `a status that the broker had kept does not make a board look fresh`() async throws {
    try await Self.useStore { store, database in
      var intake = FleetIntake()
      let board = try #require(FleetBoardID("b1"))
      func delivery(isRetained: Bool, at milliseconds: Int64) -> Delivery {
        Delivery(
          shard: board.shard, topic: FleetTopic(.status, board, shard: board.shard).description,
          payload: FleetStatus(isOnline: true).json, packetID: 1, connection: 1,
          isRetained: isRetained, arrivalMilliseconds: milliseconds)
      }
      for (isRetained, time) in [
        (true, TestBatch.time), (false, TestBatch.time + 1000), (true, TestBatch.time + 9000),
      ] {
        let message = delivery(isRetained: isRetained, at: time)
        try await store.commit(intake.transaction(for: [message]))
      }
      #expect(
        try await database.query("SELECT extract(epoch FROM last_seen)::bigint FROM fleet.board")
          == ["1790000001"])
    }
  }

  @Test func `a time in the future does not make a board look fresh, also one of an earlier version`() async throws {
    try await Self.useStore { store, database in
      let board = try #require(FleetBoardID("b1"))
      var status = FleetStatus(isOnline: true)
      status.epoch = FleetEpoch(3)
      status.fix = try TestBatch().batch(9...9).entries.first?.fix
      let now = try await database.query("SELECT (extract(epoch FROM now()) * 1000)::bigint")
      let arrival = try #require(now.first.flatMap { Int64($0) })
      let isPast = "SELECT last_seen <= now(), last_seen < '2000-01-01' FROM fleet.board"
      var intake = FleetIntake()
      for time in [arrival + 3_600_000, FleetFix.times.upperBound] {
        status.fix?.timeMilliseconds = time
        let delivery = Delivery(
          shard: board.shard, topic: FleetTopic(.status, board, shard: board.shard).description,
          payload: status.json, packetID: 1, connection: 1, isRetained: true,
          arrivalMilliseconds: arrival)
        try await store.commit(intake.transaction(for: [delivery]))
        #expect(try await database.query(isPast) == ["t|t"])
      }
      _ = try await database.query("UPDATE fleet.board SET last_seen = '9999-01-01'")
      try await store.commit(intake.transaction(for: [try TestBatch().delivery(1...1)]))
      #expect(try await database.query(isPast) == ["t|f"])
    }
  }

  @Test func `months get partitions ahead, rows move into them, and the retention drops them`() async throws {
    try await Self.useStore { store, database in
      var intake = FleetIntake()
      // A time of a month without a partition, and one far in the future, which is replaced.
      let times = try await database.query(
        """
        SELECT extract(epoch FROM date_trunc('month', now()) - interval '40 months')::bigint
        UNION ALL SELECT extract(epoch FROM now())::bigint
        """)
      let milliseconds = try times.map { try #require(Int64($0)) * 1000 }
      var batch = try TestBatch().batch(1...2)
      batch.entries[0].fix.timeMilliseconds = milliseconds[0]
      batch.entries[1].fix.timeMilliseconds = 253_402_300_799_000
      var delivery = try TestBatch().delivery(1...1)
      delivery.payload = batch.json
      delivery.arrivalMilliseconds = milliseconds[1]
      #expect(try await store.commit(intake.transaction(for: [delivery])) == 2)
      #expect(try await database.query("SELECT count(*) FROM fleet.fix_other") == ["1"])
      _ = try await database.query("SELECT fleet.add_month(now() - interval '40 months')")
      #expect(try await database.query("SELECT count(*) FROM fleet.fix_other") == ["0"])
      #expect(try await database.query("SELECT count(*) FROM fleet.fix") == ["2"])
      #expect(try await store.maintainPartitions(retentionMonths: 45) == 0)
      #expect(try await store.maintainPartitions(retentionMonths: 12) == 1)
      #expect(try await database.query("SELECT count(*) FROM fleet.fix") == ["1"])
    }
  }

  @Test(arguments: [("-20 months", "0|0|0"), ("70 days", "0|100001|100001")])
  func `a call for the partitions removes or moves at most 100,000 rows without a month of their own`(
    age: String, expected: String
  ) async throws {
    try await Self.useStore { store, database in
      _ = try await database.query(
        """
        INSERT INTO fleet.fix (board, epoch, seq, time, latitude, longitude, simulated,
          time_estimated, reduced)
        SELECT 'b1', 3, number, now() + interval '\(age)', 52, 13, false, false, false
        FROM generate_series(1, 100001) AS number
        """)
      #expect(try await store.maintainPartitions(retentionMonths: 12) == nil)
      #expect(try await database.query("SELECT count(*) FROM fleet.fix_other") == ["1"])
      #expect(try await store.maintainPartitions(retentionMonths: 12) == 0)
      #expect(
        try await database.query(
          """
          SELECT (SELECT count(*) FROM fleet.fix_other), count(*),
            count(*) FILTER (WHERE time_estimated AND time = received) FROM fleet.fix
          """) == [expected])
    }
  }

  @Test func `one consumer has a shard, and its lock ends with its connection`() async throws {
    try await Self.useStore { _, database in
      var first: FleetStore? = try await FleetStore.connect(database.options)
      let second = try await FleetStore.connect(database.options)
      #expect(try await first?.tryLock(3) == true)
      #expect(try await second.tryLock(3) == false)
      #expect(try await second.tryLock(4) == true)
      first = nil
      // The server ends the session of a closed connection a moment later.
      while !(try await second.tryLock(3)) { await Task.yield() }
    }
  }

  @Test func `an error has its SQLSTATE, and a lost connection is transient`() async throws {
    let folder = try ScratchFolder()
    let database = try await TestDatabase(folder)
    try await database.use { server in
      let store = try await FleetStore.connect(database.options)
      func error(_ statement: String) async -> PostgresError? {
        do throws(PostgresError) {
          try await store.perform { connection throws(PostgresError) in
            _ = try connection.rows(statement)
          }
          return nil
        } catch { return error }
      }
      let division = await error("SELECT 1/0")
      #expect(division == .statement(state: "22012", reason: "division by zero"))
      #expect(division?.isDataError == true)
      #expect(await error("SELECT 1 FROM fleet.missing")?.isTransient == false)
      #expect(await error("SET transaction_read_only = on; CREATE TABLE t ()")?.isTransient == true)
      #expect(await error("SELECT pg_terminate_backend(pg_backend_pid())")?.isTransient == true)
      guard case .lost = await error("SELECT 1") else {
        Issue.record("the connection is not lost")
        return
      }
    }
    await #expect(throws: PostgresError.self) { _ = try await FleetStore.connect(database.options) }
  }
}
