// SPDX-License-Identifier: Apache-2.0

internal import FleetProtocol
internal import Logging
internal import Positioning
internal import Synchronization
internal import SystemSupport

/// Writes the fixes of the boards to PostgreSQL.
///
/// The order for each message is COMMIT, PUBACK, `ack`. A kill between two of them only repeats
/// messages, and the table ignores repeated fixes.
final class FleetConsumer: Sendable {
  struct Settings: Sendable {
    /// A connection string or URI of libpq.
    var database: String
    var broker: BrokerSettings
    /// The shards that this consumer serves if no other one does.
    var shards = FleetShard.allCases
    var acceptsSimulated = false
    /// The age in months beyond which fixes are dropped; `nil` to keep all.
    var retentionMonths: Int?
    /// `nil` without weather.
    var weather: FleetWeather.Settings?
  }

  /// The time between two transactions; also the longest delay of a fix if the database is fast.
  private static let commitInterval = Duration.milliseconds(100)
  /// The number of waiting messages above which the next transaction does not wait.
  private static let busyCount = 500
  /// The time between two attempts to take over a shard.
  private static let lockSeconds = 3.0
  private static let maintenanceSeconds = 3600.0
  private static let maintenanceRetrySeconds = 300.0

  private let settings: Settings
  private let logger: Logger
  private let queue = PendingDeliveries()
  private let sessions = SessionTable()
  private let intake: Mutex<FleetIntake>
  private let notifier = ServiceNotifier()

  init(_ settings: Settings, logger: Logger) {
    (self.settings, self.logger) = (settings, logger)
    var intake = FleetIntake()
    intake.acceptsSimulated = settings.acceptsSimulated
    self.intake = Mutex(intake)
  }

  /// The state for Prometheus.
  var metrics: FleetMetrics {
    FleetMetrics(
      counters: intake.withLock { $0.counters }, queuedCount: queue.count,
      droppedCount: queue.droppedCount, shards: sessions.subscribedShards)
  }

  /// Runs until the task is cancelled.
  ///
  /// Throws `PostgresError` if only the administrator can fix it.
  func run() async throws(PostgresError) {
    var backOff = BackOff(firstNanoseconds: 250_000_000, maxNanoseconds: 8_000_000_000)
    var generator = SystemRandomNumberGenerator()
    var lastReason: String?
    var hasServed = false
    while !Task.isCancelled {
      do throws(PostgresError) {
        let store = try await FleetStore.connect(settings.database)
        try await store.checkVersion()
        logger.info("connected to PostgreSQL")
        backOff.succeed()
        lastReason = nil
        hasServed = true
        try await serve(store)
      } catch {
        guard error.isTransient else { throw error }
        if lastReason != error.description { logger.warning("\(error)") }
        lastReason = error.description
      }
      // The broker sends all messages without PUBACK again.
      queue.removeAll()
      intake.withLock { $0.forgetProgress() }
      if Task.isCancelled { return }
      if hasServed { notifier.alive("waiting for PostgreSQL") }
      try? await Task.sleep(for: .nanoseconds(backOff.next(using: &generator)))
    }
  }

  /// Serves shards until the connection to the database fails or the task is cancelled.
  private func serve(_ store: FleetStore) async throws(PostgresError) {
    let failure: PostgresError? = await withTaskGroup(of: Void.self) { group in
      defer { group.cancelAll() }
      if let weather = settings.weather {
        let service = FleetWeather(weather, store, settings.broker, logger)
        group.addTask {
          await service.run { change in self.intake.withLock { change(&$0.counters) } }
        }
      }
      do throws(PostgresError) {
        try await serve(store) { shard in
          let session = ShardSession(
            shard: shard, broker: self.settings.broker, queue: self.queue,
            sessions: self.sessions, logger: self.logger)
          group.addTask { await session.run() }
        }
        return nil
      } catch { return error }
    }
    if let failure { throw failure }
  }

  private func serve(
    _ store: FleetStore, start: (FleetShard) -> Void
  ) async throws(PostgresError) {
    var free = settings.shards
    var schedule = AckSchedule()
    var nextLock = MonotonicTime.now()
    var nextMaintenance = nextLock
    while !Task.isCancelled {
      var now = MonotonicTime.now()
      if now >= nextLock {
        nextLock = now.advanced(bySeconds: Self.lockSeconds)
        for shard in try await takeOver(free, store) {
          free.removeAll { $0 == shard }
          start(shard)
        }
        // Also notices that the connection is lost, and with it the locks.
        try await store.perform { connection throws(PostgresError) in
          try connection.execute("SELECT 1")
        }
        for line in intake.withLock({ $0.takeErrors() }) { logger.warning("\(line)") }
        notifier.alive("serving shards \(sessions.subscribedShards.count) of 16")
      }
      if now >= nextMaintenance {
        nextMaintenance = now.advanced(bySeconds: try await maintain(store))
      }
      let isFull = try await commitNext(store, &schedule)
      notifier.alive("serving shards \(sessions.subscribedShards.count) of 16")
      if queue.count < PendingDeliveries.capacity / 4 { sessions.setReading(true) }
      now = MonotonicTime.now()
      let acks = schedule.due(at: now).map { target, sequence in
        let ack = FleetAcknowledgement(epoch: target.key.epoch, sequence: sequence)
        return (
          topic: FleetTopic(.ack, target.key.board, shard: target.shard), payload: ack.json
        )
      }
      sessions.publish(acks)
      intake.withLock { $0.counters.acks += UInt64(acks.count) }
      if !isFull, queue.count < Self.busyCount { try? await Task.sleep(for: Self.commitInterval) }
    }
  }

  /// Creates and drops partitions; returns the time in seconds until the next call.
  private func maintain(_ store: FleetStore) async throws(PostgresError) -> Double {
    do throws(PostgresError) {
      let count = try await store.maintainPartitions(retentionMonths: settings.retentionMonths)
      // The next fixes of the boards are committed before the call that continues.
      guard let count else { return 0 }
      if count > 0 { logger.info("dropped \(count) months beyond the retention") }
      return Self.maintenanceSeconds
    } catch {
      guard case .statement = error, error.isTransient else { throw error }
      logger.warning("the partitions were not changed: \(error)")
      return Self.maintenanceRetrySeconds
    }
  }

  /// Takes the locks of shards that no other consumer serves, and loads their progress.
  private func takeOver(
    _ shards: [FleetShard], _ store: FleetStore
  ) async throws(PostgresError) -> [FleetShard] {
    var taken: [FleetShard] = []
    for shard in shards where try await store.tryLock(shard.number) {
      let progress = try await store.progress(of: shard)
      intake.withLock { $0.addProgress(progress) }
      taken.append(shard)
    }
    if !taken.isEmpty {
      logger.info("serving the shards \(taken.map(\.description).joined(separator: " "))")
    }
    return taken
  }

  /// Commits the next messages; returns whether the transaction was full, so that more may wait.
  private func commitNext(
    _ store: FleetStore, _ schedule: inout AckSchedule
  ) async throws(PostgresError) -> Bool {
    let now = MonotonicTime.now()
    let (before, transaction) = intake.withLock { intake in
      (intake.counters, intake.transaction(at: now) { queue.next() })
    }
    sessions.acknowledge(transaction.refused)
    try await commit(transaction, before, store, &schedule)
    return !transaction.hasRoom
  }

  /// Commits a transaction, and then sends the PUBACKs of its messages.
  ///
  /// - Parameters:
  ///   - transaction: The transaction.
  ///   - before: The counters before its messages.
  ///   - store: The tables.
  ///   - schedule: The acknowledgements to boards.
  /// - Throws: `PostgresError`.
  private func commit(
    _ transaction: FleetTransaction, _ before: FleetCounters, _ store: FleetStore,
    _ schedule: inout AckSchedule
  ) async throws(PostgresError) {
    let deliveries = transaction.deliveries
    guard !deliveries.isEmpty else { return }
    var transaction = transaction
    do throws(PostgresError) {
      if !transaction.isEmpty {
        let count = try await store.commit(transaction)
        intake.withLock { $0.committed(transaction, insertedRows: count) }
      }
    } catch {
      guard error.isDataError else { throw error }
      guard deliveries.count == 1, let delivery = deliveries.first else {
        intake.withLock { $0.undo(to: before) }
        // Only the message that the database rejects is left out.
        let half = deliveries.count / 2
        for part in [deliveries[..<half], deliveries[half...]] {
          let (before, transaction) = intake.withLock { intake in
            (intake.counters, intake.transaction(for: Array(part)))
          }
          try await commit(transaction, before, store, &schedule)
        }
        return
      }
      intake.withLock { $0.rejected(delivery, error.description) }
      // The progress counts the fixes as present, or the next batch would wait for them forever.
      transaction = transaction.withoutFixes
      try await store.commit(transaction)
      intake.withLock { $0.committed(transaction, insertedRows: 0) }
    }
    sessions.acknowledge(deliveries)
    for (key, progress) in transaction.progress {
      guard let shard = transaction.boards[key.board]?.shard else { continue }
      schedule.note(.init(shard: shard, key: key), committed: progress.committed)
    }
  }
}
