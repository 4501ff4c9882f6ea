// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import FleetProtocol
import Positioning
import Testing

@testable import fixcast_fleet

/// Batches of a board for tests.
struct TestBatch {
  static let time: Int64 = 1_790_000_000_000

  var board = "b1"
  var epoch: Int64 = 3
  var previous: Int64?
  var isSimulated = false
  /// The boot of a board without a date.
  var boot: String?

  func batch(_ sequences: ClosedRange<Int64>) throws -> FleetBatch {
    var batch = FleetBatch(
      board: try #require(FleetBoardID(board)), epoch: try #require(FleetEpoch(epoch)),
      entries: try sequences.map { sequence in
        var fix = try #require(FleetFix(latitudeE7: 520_000_000 + sequence, longitudeE7: 130_000_000))
        if boot == nil {
          fix.timeMilliseconds = Self.time + sequence * 1000
        } else {
          fix.bootMilliseconds = sequence * 1000
        }
        return .init(sequence: sequence, fix: fix)
      })
    (batch.previous, batch.isSimulated, batch.boot) = (previous, isSimulated, boot)
    return batch
  }

  func delivery(_ sequences: ClosedRange<Int64>) throws -> Delivery {
    let batch = try batch(sequences)
    return Delivery(
      shard: batch.board.shard,
      topic: FleetTopic(.fix, batch.board, shard: batch.board.shard).description,
      payload: batch.json, packetID: 1, connection: 1, arrivalMilliseconds: Self.time + 500_000)
  }
}

@Suite("Intake of the fleet consumer")
struct FleetIntakeTests {
  /// Commits a transaction, and returns the committed sequence number of each key.
  private static func commit(
    _ deliveries: Delivery..., to intake: inout FleetIntake
  ) -> (transaction: FleetTransaction, committed: [Int64]) {
    let transaction = intake.transaction(for: deliveries)
    intake.committed(transaction, insertedRows: transaction.rows.count)
    return (transaction, transaction.progress.values.map(\.committed).sorted())
  }

  @Test func `a batch after a lost one is written, but acknowledged only when the lost one has arrived`() throws {
    var intake = FleetIntake()
    #expect(try Self.commit(TestBatch().delivery(1...30), to: &intake).committed == [30])
    let late = try Self.commit(TestBatch().delivery(61...90), to: &intake)
    #expect(late.committed == [30])
    #expect(late.transaction.rows.count == 30)
    #expect(intake.counters.batchesAfterGap == 1)
    let resent = try Self.commit(TestBatch().delivery(31...60), TestBatch().delivery(61...90), to: &intake)
    #expect(resent.committed == [90])
    // The numbers below the highest one may be in the table, with another estimated time.
    #expect(resent.transaction.rows.isEmpty)
    #expect(resent.transaction.possibleRepeats.map(\.sequence) == Array(31...90))
  }

  /// A message of about 120 bytes with 500 fixes.
  static func fullBatch(of board: String, from first: Int) throws -> Delivery {
    let id = try #require(FleetBoardID(board))
    let json = """
      {"v":1,"b":"\(board)","e":3,"n":500,"s0":\(first),"t0":\(TestBatch.time),"t":[0,1],\
      "lat":[520000000,0],"lon":[130000000,0]}
      """
    return Delivery(
      shard: id.shard, topic: FleetTopic(.fix, id, shard: id.shard).description,
      payload: Array(json.utf8), packetID: 1, connection: 1, arrivalMilliseconds: TestBatch.time)
  }

  /// Returns the transactions for all messages of a queue.
  private static func transactions(_ queue: PendingDeliveries, _ intake: inout FleetIntake) -> [FleetTransaction] {
    var transactions: [FleetTransaction] = []
    while queue.count > 0 {
      let transaction = intake.transaction(at: .at(0)) { queue.next() }
      intake.committed(transaction, insertedRows: 0)
      transactions.append(transaction)
    }
    return transactions
  }

  @Test func `4,000 batches of 500 fixes become transactions of at most 20,000 rows`() throws {
    let queue = PendingDeliveries()
    var intake = FleetIntake()
    for number in 0..<4000 {
      // The boards of a burst begin with a high number, so that all other fixes may be repeats.
      let first = number < 100 ? 1 << 52 : 1_000_000 + number * 500
      _ = queue.add(try Self.fullBatch(of: "b\(number % 100)", from: first))
    }
    var (rowCount, maxRows, deliveries) = (0, 0, 0)
    while queue.count > 0 {
      let transaction = intake.transaction(at: .at(0)) { queue.next() }
      intake.committed(transaction, insertedRows: 0)
      let count = transaction.rows.count + transaction.possibleRepeats.count
      (rowCount, maxRows) = (rowCount + count, max(maxRows, count))
      deliveries += transaction.deliveries.count
    }
    #expect(deliveries == 4000)
    #expect(rowCount == 2_000_000)
    #expect(maxRows == 20_000)
  }

  @Test func `a board that floods the queue delays no other board, and its excess is refused`() throws {
    let queue = PendingDeliveries()
    var intake = FleetIntake()
    for number in 0..<4000 {
      _ = queue.add(try Self.fullBatch(of: "evil", from: 1 + number * 500))
    }
    _ = queue.add(try TestBatch().delivery(1...3))
    let transactions = Self.transactions(queue, &intake)
    let first = try #require(transactions.first)
    #expect(first.rows.count { $0.key.board.text == "b1" } == 3)
    // The first transaction has the burst only in part.
    #expect(transactions.reduce(0) { $0 + $1.rows.count } == FleetIntake.burst + 3)
    #expect(intake.counters.refusedMessages == 4000 - UInt64(FleetIntake.burst / 500))
    #expect(transactions.reduce(0) { $0 + $1.deliveries.count + $1.refused.count } == 4001)
    #expect(
      intake.takeErrors() == [
        "fleet/v1/\(first.deliveries[0].shard)/evil/fix: the board sends more than 2500 fixes a second"
      ])
    // A refused fix is a gap, so the fixes after it are not acknowledged to the board.
    var next: Delivery? = try Self.fullBatch(of: "evil", from: 2_000_001)
    let later = intake.transaction(at: .at(60)) {
      defer { next = nil }
      return next
    }
    #expect(later.progress.values.map(\.committed) == [Int64(FleetIntake.burst)])
  }

  @Test func `10,000 epochs of one board leave the progress of the newest four`() throws {
    var intake = FleetIntake()
    for start in stride(from: Int64(1), to: 10_000, by: 100) {
      let deliveries = try (start..<start + 100).map { try TestBatch(epoch: $0).delivery(1...1) }
      let transaction = intake.transaction(for: deliveries)
      #expect(transaction.progress.count == 4)
      #expect(transaction.removed.count == (start == 1 ? 0 : 4))
      intake.committed(transaction, insertedRows: 100)
    }
    #expect(intake.epochCount == 4)
    // The newest epochs are known, and the older ones begin anew.
    let known = try intake.transaction(for: [TestBatch(epoch: 9997).delivery(1...1)])
    #expect(known.rows.isEmpty)
    let forgotten = try intake.transaction(for: [TestBatch(epoch: 1).delivery(1...1)])
    #expect(forgotten.rows.count == 1)
  }

  @Test func `an epoch that is used again is not replaced by newer ones`() throws {
    var intake = FleetIntake()
    for epoch in Int64(2)...20 {
      let deliveries = try [
        TestBatch(epoch: 1).delivery(epoch...epoch), TestBatch(epoch: epoch).delivery(1...1),
      ]
      intake.committed(intake.transaction(for: deliveries), insertedRows: 2)
    }
    let again = try intake.transaction(for: [TestBatch(epoch: 1).delivery(20...20)])
    #expect(again.rows.isEmpty)
  }

  @Test func `fixes that the outbox removed are no gap, because the batch names the fix before it`() throws {
    var intake = FleetIntake()
    _ = try Self.commit(TestBatch().delivery(1...30), to: &intake)
    #expect(try Self.commit(TestBatch(previous: 30).delivery(61...90), to: &intake).committed == [90])
    // An outbox whose first fix is not the first one of its epoch.
    #expect(try Self.commit(TestBatch(epoch: 4, previous: 0).delivery(500...501), to: &intake).committed == [501])
  }

  @Test func `a repeated batch has no rows and is acknowledged again`() throws {
    var intake = FleetIntake()
    let first = try Self.commit(TestBatch().delivery(1...2), TestBatch().delivery(1...2), to: &intake)
    #expect(first.transaction.rows.count == 2)
    let again = try Self.commit(TestBatch().delivery(1...2), to: &intake)
    #expect(again.transaction.rows.isEmpty)
    #expect(again.transaction.possibleRepeats.isEmpty)
    #expect(again.committed == [2])
    #expect(intake.counters.repeatedFixes == 4)
  }

  @Test func `progress counts only after COMMIT`() throws {
    var intake = FleetIntake()
    _ = try intake.transaction(for: [TestBatch().delivery(1...2)])
    let again = try intake.transaction(for: [TestBatch().delivery(1...2)])
    #expect(again.rows.count == 2)
  }

  @Test func `simulated fixes are refused, counted and acknowledged`() throws {
    var intake = FleetIntake()
    let refused = try Self.commit(TestBatch(isSimulated: true).delivery(1...3), to: &intake)
    #expect(refused.transaction.rows.isEmpty)
    #expect(refused.committed == [3])
    #expect(intake.counters.refusedSimulatedFixes == 3)
    intake.acceptsSimulated = true
    let accepted = try Self.commit(TestBatch(isSimulated: true).delivery(4...5), to: &intake)
    #expect(accepted.transaction.rows.map(\.isSimulated) == [true, true])
  }

  @Test func `messages that cannot be decoded are counted, and their errors are limited`() throws {
    var intake = FleetIntake()
    var deliveries: [Delivery] = []
    for number in 0..<100 {
      var delivery = try TestBatch().delivery(1...2)
      switch number % 4 {
      case 0: delivery.payload = Array("{".utf8)
      case 1: delivery.topic = "other/topic"
      case 2: delivery.topic = delivery.topic.replacing("b1", with: "b2")
      default: delivery.payload = []
      }
      deliveries.append(delivery)
    }
    #expect(intake.transaction(for: deliveries).isEmpty)
    #expect(intake.counters.undecodable == 100)
    #expect(intake.takeErrors().count == 5)
    #expect(intake.takeErrors().isEmpty)
  }

  @Test func `a status changes the state of a board, and its fix is the newest position`() throws {
    var status = FleetStatus(isOnline: true)
    status.epoch = FleetEpoch(3)
    status.pendingCount = 7
    status.fix = try TestBatch().batch(9...9).entries.first?.fix
    let board = try #require(FleetBoardID("b1"))
    let delivery = Delivery(
      shard: board.shard, topic: FleetTopic(.status, board, shard: board.shard).description,
      payload: status.json, packetID: nil, connection: 1, arrivalMilliseconds: TestBatch.time)
    var intake = FleetIntake()
    let change = try #require(intake.transaction(for: [delivery]).boards[board])
    #expect(change.status?.pendingCount == 7)
    #expect(change.newest?.timeMilliseconds == TestBatch.time + 9000)
  }

  @Test func `times without a date come from the same boot, or else from the arrival, and are marked`() throws {
    var dating = FixDating()
    let arrival = TestBatch.time
    var unknown = try TestBatch(boot: "abc").batch(1...3)
    func times(_ batch: FleetBatch) -> [Int64] {
      dating.times(of: batch, arrivalMilliseconds: arrival).map { $0.milliseconds - arrival }
    }
    // The last fix arrives at once; the others are seconds older.
    #expect(times(unknown) == [-2000, -1000, 0])
    #expect(dating.times(of: unknown, arrivalMilliseconds: 0).map(\.isEstimated) == [true, true, true])
    // A date within the batch counts for its neighbours, and for later batches of the same boot.
    unknown.entries[1].fix.timeMilliseconds = arrival - 50_000
    #expect(times(unknown) == [-51_000, -50_000, -49_000])
    #expect(dating.times(of: unknown, arrivalMilliseconds: arrival).map(\.isEstimated) == [true, false, true])
    #expect(times(try TestBatch(boot: "abc").batch(12...12)) == [-40_000])
    #expect(times(try TestBatch(boot: "def").batch(12...12)) == [0])
  }

  @Test func `a board is acknowledged at most once in ten seconds, with the last number`() throws {
    var schedule = AckSchedule()
    let board = try #require(FleetBoardID("b1"))
    let target = AckSchedule.Target(
      shard: board.shard, key: ProgressKey(board: board, epoch: try #require(FleetEpoch(3))))
    let start = MonotonicTime.at(0)
    var sent: [Int64] = []
    for second in 0...25 {
      schedule.note(target, committed: Int64(second + 1))
      sent += schedule.due(at: start.advanced(bySeconds: Double(second))).map(\.sequence)
    }
    #expect(sent == [1, 11, 21])
    schedule.note(target, committed: 0)
    #expect(schedule.due(at: start.advanced(bySeconds: 60)).map(\.sequence) == [26])
    #expect(schedule.due(at: start.advanced(bySeconds: 90)).isEmpty)
  }

  @Test func `an estimated time outside of the wire format is replaced by the arrival`() throws {
    var intake = FleetIntake()
    var batch = try TestBatch(boot: "abc").batch(1...2)
    batch.entries[0].fix.timeMilliseconds = 0
    batch.entries[0].fix.bootMilliseconds = 1 << 53
    batch.entries[1].fix.bootMilliseconds = 0
    var delivery = try TestBatch().delivery(1...2)
    delivery.payload = batch.json
    let transaction = intake.transaction(for: [delivery])
    #expect(intake.takeErrors() == [])
    #expect(transaction.rows.map(\.timeMilliseconds) == [0, delivery.arrivalMilliseconds])
  }

  @Test func `a time more than a day after the arrival counts as unknown, also as the base of estimates`() throws {
    var dating = FixDating()
    let (arrival, day) = (TestBatch.time, Int64(86_400_000))
    func times(_ batch: FleetBatch) -> [Int64] {
      dating.times(of: batch, arrivalMilliseconds: arrival).map { $0.milliseconds - arrival }
    }
    var batch = try TestBatch().batch(1...3)
    batch.entries[0].fix.timeMilliseconds = arrival + day
    batch.entries[1].fix.timeMilliseconds = arrival + day + 1
    batch.entries[2].fix.timeMilliseconds = FleetFix.times.upperBound
    #expect(times(batch) == [day, 0, 0])
    #expect(dating.times(of: batch, arrivalMilliseconds: arrival).map(\.isEstimated) == [false, true, true])
    // The other fixes of the boot are not estimated from the false date.
    var boot = try TestBatch(boot: "abc").batch(1...3)
    boot.entries[0].fix.timeMilliseconds = arrival + 40 * day
    #expect(times(boot) == [-2000, -1000, 0])
    // An estimate is in the future if the times since the boot are far apart.
    boot.entries[0].fix.timeMilliseconds = arrival
    boot.entries[2].fix.bootMilliseconds = 1000 + 40 * day
    #expect(times(boot) == [0, 1000, 0])
  }

  @Test func `a status that the broker had kept shows when a board was seen only by a past, known time`() throws {
    let board = try #require(FleetBoardID("b1"))
    let arrival = TestBatch.time
    /// Returns when the board was seen, and the time of its newest fix.
    func times(fixTime: Int64?) throws -> [Int64?] {
      var status = FleetStatus(isOnline: true)
      status.epoch = FleetEpoch(3)
      status.fix = try TestBatch().batch(9...9).entries.first?.fix
      status.fix?.timeMilliseconds = fixTime
      let delivery = Delivery(
        shard: board.shard, topic: FleetTopic(.status, board, shard: board.shard).description,
        payload: status.json, packetID: nil, connection: 1, isRetained: true,
        arrivalMilliseconds: arrival)
      var intake = FleetIntake()
      let change = try #require(intake.transaction(for: [delivery]).boards[board])
      return [change.seenMilliseconds, change.newest?.timeMilliseconds]
    }
    #expect(try times(fixTime: arrival - 5000) == [arrival - 5000, arrival - 5000])
    #expect(try times(fixTime: arrival + 5000) == [nil, arrival + 5000])
    #expect(try times(fixTime: FleetFix.times.upperBound) == [nil, nil])
    #expect(try times(fixTime: nil) == [nil, nil])
    // A batch without dates is dated by its arrival, which says nothing about its age.
    var delivery = try TestBatch(boot: "abc").delivery(11...12)
    delivery.isRetained = true
    var intake = FleetIntake()
    let change = try #require(intake.transaction(for: [delivery]).boards[board])
    #expect(change.newest?.isTimeEstimated == true)
    #expect(change.seenMilliseconds == nil)
  }
}
