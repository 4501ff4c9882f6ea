// SPDX-License-Identifier: Apache-2.0

internal import FleetProtocol
internal import Positioning
internal import SystemSupport

/// Converts messages of boards into transactions, and keeps the progress of the boards.
struct FleetIntake: Sendable {
  /// Whether fixes of simulators and recordings are inserted.
  var acceptsSimulated = false
  var counters = FleetCounters()
  /// The errors of the last messages, for the log.
  private(set) var errors: [String] = []

  /// The maximum number of errors between two calls of `takeErrors`.
  private static let maxErrors = 5
  /// The number of epochs of a board whose progress is kept.
  ///
  /// A board has a new epoch only with a new outbox.
  static let maxEpochs = 4
  /// The number of fixes a second that a board may send.
  ///
  /// A board sends at most 5 batches a second, of at most 500 fixes.
  static let fixesPerSecond = 2500.0
  /// The number of fixes that a board may send at once, for example after an outage.
  static let burst = 40_000
  /// The number of bytes of a message that count as a fix.
  private static let bytesPerFix = 128
  /// The minimum time between two errors about a board that sends too much.
  private static let refusalSeconds = 600.0

  private var progress: [ProgressKey: BoardProgress] = [:]
  /// The epochs of each board, the last used one last.
  private var epochs: [FleetBoardID: [FleetEpoch]] = [:]
  private var dating = FixDating()
  private var limit = RateLimit<FleetBoardID?>(
    burst: Self.burst, perSecond: Self.fixesPerSecond)
  private var refusals = RateLimit<FleetBoardID?>(
    burst: 1, perSecond: 1 / Self.refusalSeconds)

  /// The number of epochs whose progress is in memory.
  var epochCount: Int { progress.count }

  /// Adds the progress of a shard that this consumer takes over, with the last used epoch last.
  mutating func addProgress(_ loaded: [(key: ProgressKey, progress: BoardProgress)]) {
    for (key, loaded) in loaded {
      progress[key] = loaded
      let (list, replaced) = Self.epochs(epochs[key.board] ?? [], using: key.epoch)
      epochs[key.board] = list
      if let replaced { progress[ProgressKey(board: key.board, epoch: replaced)] = nil }
    }
  }

  /// Forgets all boards, which other consumers may serve from now on.
  mutating func forgetProgress() {
    (progress, epochs) = ([:], [:])
    dating = FixDating()
  }

  /// Returns the epochs of a board after the use of one, and the epoch that is replaced by it.
  private static func epochs(
    _ list: [FleetEpoch], using epoch: FleetEpoch
  ) -> (list: [FleetEpoch], replaced: FleetEpoch?) {
    var list = list.filter { $0 != epoch } + [epoch]
    let replaced = list.count > maxEpochs ? list.removeFirst() : nil
    return (list, replaced)
  }

  /// Returns the errors since the last call.
  mutating func takeErrors() -> [String] {
    defer { errors = [] }
    return errors
  }

  /// Returns the transaction for the next messages, without changing the progress.
  ///
  /// A message beyond the limit of its board is refused: its fixes are not acknowledged to the
  /// board, which sends them again later.
  mutating func transaction(
    at now: MonotonicTime, from next: () -> Delivery?
  ) -> FleetTransaction {
    var transaction = FleetTransaction()
    while transaction.hasRoom, let delivery = next() {
      transaction.byteCount += delivery.payload.count
      let board = FleetTopic(delivery.topic)?.board
      guard limit.hasToken(for: board, at: now) else {
        refuse(delivery, of: board, at: now, &transaction)
        continue
      }
      let fixCount = counters.fixes
      add(delivery, to: &transaction)
      let cost = max(
        Int(counters.fixes - fixCount), delivery.payload.count / Self.bytesPerFix, 1)
      limit.charge(cost, to: board, at: now)
    }
    return transaction
  }

  private mutating func refuse(
    _ delivery: Delivery, of board: FleetBoardID?, at now: MonotonicTime,
    _ transaction: inout FleetTransaction
  ) {
    counters.messages += 1
    counters.refusedMessages += 1
    transaction.refused.append(delivery)
    guard refusals.take(from: board, at: now) else { return }
    note("\(delivery.topic): the board sends more than \(Int(Self.fixesPerSecond)) fixes a second")
  }

  /// Returns the transaction for messages of one that failed, without changing the progress.
  mutating func transaction(for deliveries: [Delivery]) -> FleetTransaction {
    var transaction = FleetTransaction()
    for delivery in deliveries { add(delivery, to: &transaction) }
    return transaction
  }

  /// Notes the progress of a transaction after its COMMIT.
  mutating func committed(_ transaction: FleetTransaction, insertedRows: Int) {
    for key in transaction.removed { progress[key] = nil }
    progress.merge(transaction.progress) { $1 }
    epochs.merge(transaction.epochs) { $1 }
    counters.transactions += 1
    counters.insertedRows += UInt64(insertedRows)
  }

  /// Takes back the counts of messages whose transaction failed.
  mutating func undo(to before: FleetCounters) {
    let now = counters
    counters = before
    (counters.messages, counters.refusedMessages) = (
      before.messages + now.refusedMessages - before.refusedMessages, now.refusedMessages
    )
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
    transaction.deliveries.append(delivery)
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
        if let fix = status.fix, !status.isSimulated || acceptsSimulated {
          let known = FixDating.time(of: fix, arrivalMilliseconds: delivery.arrivalMilliseconds)
          guard known != nil || !delivery.isRetained else { break }
          let time = known ?? delivery.arrivalMilliseconds
          if let epoch = status.epoch, time >= change.newest?.timeMilliseconds ?? .min {
            change.newest = FleetTransaction.Row(
              key: ProgressKey(board: topic.board, epoch: epoch), sequence: 0, fix: fix,
              timeMilliseconds: time, isTimeEstimated: known == nil,
              isSimulated: status.isSimulated,
              isReduced: status.isReduced)
          }
        }
      case .event, .ack, .weather, .cmd: return
      }
    } catch {
      return undecodable(delivery, "\(error)")
    }
    // The board was seen when its receiver had the time of the fix. A time in the future, or an
    // estimate from the arrival, says nothing about that.
    if delivery.isRetained, let newest = change.newest, !newest.isTimeEstimated,
      newest.timeMilliseconds <= delivery.arrivalMilliseconds
    {
      change.seenMilliseconds = max(
        change.seenMilliseconds ?? .min, newest.timeMilliseconds)
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
    use(key, in: &transaction)
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

  /// Notes that an epoch is the newest one of its board, and removes the progress of the oldest one.
  private func use(_ key: ProgressKey, in transaction: inout FleetTransaction) {
    let known = transaction.epochs[key.board] ?? epochs[key.board] ?? []
    guard known.last != key.epoch || transaction.epochs[key.board] == nil else { return }
    let (list, replaced) = Self.epochs(known, using: key.epoch)
    transaction.epochs[key.board] = list
    guard let replaced else { return }
    let old = ProgressKey(board: key.board, epoch: replaced)
    transaction.progress[old] = nil
    if progress[old] != nil { transaction.removed.insert(old) }
  }

  private mutating func undecodable(_ delivery: Delivery, _ reason: String) {
    counters.undecodable += 1
    note("\(delivery.topic): \(reason)")
  }

  private mutating func note(_ error: String) {
    if errors.count < Self.maxErrors { errors.append(error) }
  }
}
