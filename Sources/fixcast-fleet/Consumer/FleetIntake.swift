// SPDX-License-Identifier: Apache-2.0

internal import FleetProtocol

/// Converts messages of boards into transactions, and keeps the progress of the boards.
struct FleetIntake: Sendable {
  /// Whether fixes of simulators and recordings are inserted.
  var acceptsSimulated = false
  var counters = FleetCounters()
  /// The errors of the last messages, for the log.
  private(set) var errors: [String] = []

  /// The maximum number of errors between two calls of `takeErrors`.
  private static let maxErrors = 5

  private var progress: [ProgressKey: BoardProgress] = [:]
  private var dating = FixDating()

  /// Adds the progress of a shard that this consumer takes over.
  mutating func addProgress(_ loaded: [ProgressKey: BoardProgress]) {
    progress.merge(loaded) { $1 }
  }

  /// Forgets all boards, which other consumers may serve from now on.
  mutating func forgetProgress() {
    progress = [:]
    dating = FixDating()
  }

  /// Returns the errors since the last call.
  mutating func takeErrors() -> [String] {
    defer { errors = [] }
    return errors
  }

  /// Returns the transaction for messages, without changing the progress.
  mutating func transaction(for deliveries: [Delivery]) -> FleetTransaction {
    var transaction = FleetTransaction()
    for delivery in deliveries { add(delivery, to: &transaction) }
    return transaction
  }

  /// Notes the progress of a transaction after its COMMIT.
  mutating func committed(_ transaction: FleetTransaction, insertedRows: Int) {
    progress.merge(transaction.progress) { $1 }
    counters.transactions += 1
    counters.insertedRows += UInt64(insertedRows)
  }

  /// Takes back the counts of messages whose transaction failed.
  mutating func undo(to before: FleetCounters) {
    let now = counters
    counters = before
    // These are counted by the weather's task.
    (counters.weatherRequests, counters.weatherFailures) =
      (now.weatherRequests, now.weatherFailures)
    counters.weatherMessages = now.weatherMessages
  }

  /// Counts a message that the database rejects.
  mutating func rejected(_ delivery: Delivery, _ reason: String) {
    counters.rejected += 1
    note("\(delivery.topic): \(reason)")
  }

  private mutating func add(_ delivery: Delivery, to transaction: inout FleetTransaction) {
    counters.messages += 1
    guard let topic = FleetTopic(delivery.topic), topic.shard == delivery.shard else {
      return undecodable(delivery, "not a topic of the fleet protocol")
    }
    var change = FleetTransaction.BoardChange(
      shard: topic.shard,
      seenMilliseconds: delivery.isRetained ? nil : delivery.arrivalMilliseconds)
    let old = transaction.boards[topic.board]
    change.seenMilliseconds = change.seenMilliseconds ?? old?.seenMilliseconds
    (change.newest, change.status) = (old?.newest, old?.status)
    do throws(FleetError) {
      switch topic.kind {
      case .fix:
        let batch = try FleetBatch(json: delivery.payload)
        guard batch.board == topic.board else {
          return undecodable(delivery, "the batch is of another board")
        }
        add(batch, delivery, to: &transaction, &change)
      case .status:
        let status = try FleetStatus(json: delivery.payload)
        change.status = status
        if let fix = status.fix, !status.isSimulated || acceptsSimulated,
          fix.timeMilliseconds != nil || !delivery.isRetained
        {
          let isKnown = fix.timeMilliseconds != nil
          let time = fix.timeMilliseconds ?? delivery.arrivalMilliseconds
          if let epoch = status.epoch, time >= change.newest?.timeMilliseconds ?? .min {
            change.newest = FleetTransaction.Row(
              key: ProgressKey(board: topic.board, epoch: epoch), sequence: 0, fix: fix,
              timeMilliseconds: time, isTimeEstimated: !isKnown, isSimulated: status.isSimulated,
              isReduced: status.isReduced)
          }
        }
      case .event, .ack, .weather, .cmd: return
      }
    } catch {
      return undecodable(delivery, "\(error)")
    }
    transaction.boards[topic.board] = change
  }

  private mutating func add(
    _ batch: FleetBatch, _ delivery: Delivery, to transaction: inout FleetTransaction,
    _ change: inout FleetTransaction.BoardChange
  ) {
    guard let first = batch.entries.first, let last = batch.entries.last else { return }
    counters.batches += 1
    counters.fixes += UInt64(batch.entries.count)
    let key = ProgressKey(board: batch.board, epoch: batch.epoch)
    let before = transaction.progress[key] ?? progress[key] ?? BoardProgress()
    var after = before
    after.note(
      first: first.sequence, last: last.sequence,
      previous: batch.previous ?? first.sequence - 1)
    if after.committed < last.sequence { counters.batchesAfterGap += 1 }
    transaction.progress[key] = after
    // The board is acknowledged all the same, or it would send the simulated fixes again.
    guard acceptsSimulated || !batch.isSimulated else {
      counters.refusedSimulatedFixes += UInt64(batch.entries.count)
      return
    }
    let times = dating.times(of: batch, arrivalMilliseconds: delivery.arrivalMilliseconds)
    for (entry, time) in zip(batch.entries, times) {
      guard entry.sequence > before.committed else {
        counters.repeatedFixes += 1
        continue
      }
      if time.isEstimated { counters.estimatedTimes += 1 }
      let row = FleetTransaction.Row(
        key: key, sequence: entry.sequence, fix: entry.fix, timeMilliseconds: time.milliseconds,
        isTimeEstimated: time.isEstimated, isSimulated: batch.isSimulated,
        isReduced: batch.isReduced)
      if entry.sequence > before.highest {
        transaction.rows.append(row)
      } else {
        transaction.possibleRepeats.append(row)
      }
      if row.timeMilliseconds >= change.newest?.timeMilliseconds ?? .min { change.newest = row }
    }
  }

  private mutating func undecodable(_ delivery: Delivery, _ reason: String) {
    counters.undecodable += 1
    note("\(delivery.topic): \(reason)")
  }

  private mutating func note(_ error: String) {
    if errors.count < Self.maxErrors { errors.append(error) }
  }
}
