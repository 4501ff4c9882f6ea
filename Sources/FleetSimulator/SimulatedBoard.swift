// SPDX-License-Identifier: Apache-2.0

internal import FleetProtocol
internal import MQTTClient
internal import Positioning

/// A board with its outbox in memory, without a connection.
struct SimulatedBoard {
  /// The maximum number of batches in flight.
  static let window = 16
  /// The number of latencies that are kept.
  private static let sampleCount = 100

  let id: FleetBoardID
  let shard: FleetShard
  private let number: Int
  private let epoch: FleetEpoch
  private let options: FleetSimulatorOptions
  private var outbox: [FleetBatch] = []
  private var backlog: DeliveryBacklog
  private var flights = MQTTFlights<Int64>(window: Self.window)
  private var lastSequence: Int64 = 0
  private var highestPublished: Int64 = 0
  private var newest: FleetFix?
  private var statusAt: MonotonicTime?
  private(set) var report = FleetSimulatorReport()

  /// Creates a board; `nil` if the prefix of its id is invalid.
  init?(_ options: FleetSimulatorOptions, number: Int, epoch: FleetEpoch, now: MonotonicTime) {
    let digits = String(number)
    let padding = String(repeating: "0", count: max(0, 5 - digits.count))
    guard let id = FleetBoardID("\(options.prefix)-\(padding)\(digits)") else { return nil }
    (self.id, shard, self.number) = (id, id.shard, number)
    (self.epoch, self.options) = (epoch, options)
    backlog = Self.backlog(options, now)
    report.boardCount = 1
  }

  private static func backlog(
    _ options: FleetSimulatorOptions, _ now: MonotonicTime
  ) -> DeliveryBacklog {
    DeliveryBacklog(
      intervalSeconds: 0.2, confirmationSeconds: options.hasConsumer ? options.resendSeconds : nil,
      now: now)
  }

  /// The number of batches in the outbox.
  var keptCount: Int { outbox.count }
  private var keptFixCount: Int64 { report.madeCount - report.acknowledgedCount }
  /// The time at which a batch may be due; `nil` if none is.
  var nextAt: MonotonicTime? { flights.hasRoom ? backlog.nextAt : nil }

  // MARK: Events

  /// Adds fixes to the outbox, the last one at a Unix time in milliseconds.
  mutating func make(_ count: Int, lastAt milliseconds: Int64) {
    var rest = count
    while rest > 0 {
      let size = min(rest, options.batchFixes)
      rest -= size
      var batch = FleetBatch(board: id, epoch: epoch, entries: [])
      batch.isSimulated = options.isMarked
      for index in (0..<size).reversed() {
        lastSequence += 1
        let age = Double(rest + index) * 1000 / options.hertz
        if let fix = fix(lastSequence, at: milliseconds - Int64(age)) {
          batch.entries.append(.init(sequence: lastSequence, fix: fix))
          newest = fix
        }
      }
      outbox.append(batch)
      report.madeCount += Int64(size)
    }
    backlog.messageWasKept()
  }

  mutating func connected(now: MonotonicTime) {
    report.connectionCount += 1
    flights.removeAll()
    statusAt = nil
    backlog.connected(firstAt: now)
  }

  /// Notes a PUBACK.
  mutating func acknowledged(_ packetID: UInt16, now: MonotonicTime) {
    guard let (last, sentAt) = flights.remove(packetID) else { return }
    if report.latencies.count < Self.sampleCount {
      report.latencies.append(now.seconds(since: sentAt) * 1000)
    }
    backlog.acknowledged(last)
    remove()
  }

  /// Notes an acknowledgement of the consumer.
  mutating func received(_ payload: [UInt8], now: MonotonicTime) {
    guard let message = try? FleetAcknowledgement(json: payload), message.epoch == epoch else {
      return
    }
    backlog.confirmed(through: message.sequence, now: now)
    remove()
  }

  /// Forgets what is not in the outbox, as when the process of a board is killed.
  mutating func restart(now: MonotonicTime) {
    backlog = Self.backlog(options, now)
    flights.removeAll()
    report.killedCount += 1
  }

  mutating func noteCut() { report.cutCount += 1 }

  /// Notes a connection that failed before the broker accepted it.
  mutating func refused(_ failure: MQTTFailure) { report.failure = failure }

  // MARK: Decisions

  /// Returns the next batch to publish; `nil` if none is due.
  mutating func next(now: MonotonicTime) -> MQTTPacket.Publish? {
    guard flights.hasRoom, let cursor = backlog.next(now: now) else { return nil }
    let index = outbox.firstIndex { Self.last($0) > cursor }
    backlog.published(index.map { Self.last(outbox[$0]) }, now: now)
    guard let index else { return nil }
    var batch = outbox[index]
    batch.previous = index > 0 ? Self.last(outbox[index - 1]) : 0
    let packetID = flights.add(Self.last(batch), at: now)
    report.publishedCount += 1
    if Self.last(batch) <= highestPublished { report.resentCount += 1 }
    highestPublished = max(highestPublished, Self.last(batch))
    return MQTTPacket.Publish(
      topic: FleetTopic(.fix, id, shard: shard).description, payload: batch.json, id: packetID)
  }

  /// Returns the status if it is due, as often as a board publishes it.
  mutating func statusIfDue(now: MonotonicTime) -> MQTTPacket.Publish? {
    if let statusAt, now.seconds(since: statusAt) < max(60, options.batchSeconds) { return nil }
    statusAt = now
    var status = FleetStatus(isOnline: true)
    (status.epoch, status.pendingCount, status.droppedCount) = (epoch, keptFixCount, 0)
    (status.fix, status.isSimulated) = (newest, options.isMarked)
    return MQTTPacket.Publish(
      topic: FleetTopic(.status, id, shard: shard).description, payload: status.json,
      isRetained: true)
  }

  private static func last(_ batch: FleetBatch) -> Int64 { batch.entries.last?.sequence ?? 0 }

  private mutating func remove() {
    while let range = backlog.nextRemoval() {
      for batch in outbox where range.contains(Self.last(batch)) {
        report.acknowledgedCount += Int64(batch.entries.count)
      }
      outbox.removeAll { range.contains(Self.last($0)) }
    }
  }

  /// Returns a position on a circle of 500 m; every hundredth board is in the same cell.
  private func fix(_ sequence: Int64, at milliseconds: Int64) -> FleetFix? {
    let angle = Int64(number) * 7 + sequence
    let (north, east) = (abs(angle % 200 - 100), abs((angle + 50) % 200 - 100))
    var fix = FleetFix(
      latitudeE7: 470_000_000 + Int64(number % 10) * 5_000_000 + north * 450,
      longitudeE7: 80_000_000 + Int64(number / 10 % 10) * 5_000_000 + east * 650)
    fix?.timeMilliseconds = milliseconds
    fix?.speedCentimetersPerSecond = 700
    fix?.errorDecimeters = 25
    fix?.mode = 3
    fix?.satellites = 11
    return fix
  }
}
