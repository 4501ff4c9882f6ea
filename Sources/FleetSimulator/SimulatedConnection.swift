// SPDX-License-Identifier: Apache-2.0

internal import FleetProtocol
internal import MQTTClient
internal import NIOCore
internal import Positioning
internal import SystemSupport

/// Runs a board on an event loop: its clock, its connection and its faults.
///
/// All calls are on the event loop.
final class SimulatedConnection {
  private let loop: any EventLoop
  private let options: FleetSimulatorOptions
  private let now: @Sendable () -> MonotonicTime
  private let utcMilliseconds: @Sendable () -> Int64
  private var board: SimulatedBoard
  private var generator: SplitMix64
  private var backOff = BackOff(firstNanoseconds: 250_000_000, maxNanoseconds: 8_000_000_000)
  private var brokerNumber: Int
  private var connection: MQTTConnection?
  /// Whether the broker has answered the subscription.
  private var isSubscribed = false
  private var isPumpScheduled = false
  private var startedAt: MonotonicTime
  /// The number of fixes that were made.
  private var madeCount: Int64 = 0
  private let finished: EventLoopPromise<FleetSimulatorReport>
  private var isFinished = false

  init(
    _ board: SimulatedBoard, _ options: FleetSimulatorOptions, number: Int, loop: any EventLoop,
    now: @escaping @Sendable () -> MonotonicTime, utcMilliseconds: @escaping @Sendable () -> Int64
  ) {
    (self.board, self.options, self.loop) = (board, options, loop)
    (self.now, self.utcMilliseconds) = (now, utcMilliseconds)
    generator = SplitMix64(seed: (options.faultSeed ?? 0) &+ UInt64(number))
    brokerNumber = number
    startedAt = now()
    finished = loop.makePromise()
  }

  /// Connects after a delay, and returns the counts at the end.
  func run(delaySeconds: Double) -> EventLoopFuture<FleetSimulatorReport> {
    startedAt = now().advanced(bySeconds: delaySeconds)
    after(delaySeconds) { $0.connect() }
    // Boards that start at the same time do not make their batches at the same time.
    after(delaySeconds + interval * generator.unitInterval()) { $0.tick() }
    return finished.futureResult
  }

  private var interval: Double {
    min(options.batchSeconds, Double(options.batchFixes) / options.hertz)
  }

  private func after(_ seconds: Double, _ body: @escaping (SimulatedConnection) -> Void) {
    loop.assumeIsolated().scheduleTask(in: .nanoseconds(Int64(seconds * 1e9))) {
      if !self.isFinished { body(self) }
    }
  }

  /// Makes the fixes of the time since the last call.
  private func tick() {
    let elapsed = now().seconds(since: startedAt)
    let due = Int64(min(elapsed, options.seconds) * options.hertz) - madeCount
    if due > 0 {
      board.make(Int(due), lastAt: utcMilliseconds())
      madeCount += due
    }
    if elapsed >= options.seconds {
      if board.keptCount == 0 || elapsed >= options.seconds + options.waitSeconds {
        return finish()
      }
      after(0.5) { $0.tick() }
    } else {
      after(min(interval, max(options.seconds - elapsed, 0.01))) { $0.tick() }
      if options.faultSeed != nil { fault() }
    }
    pump()
  }

  /// Cuts the connection at one of 50 batches, and kills the board at one of 100.
  private func fault() {
    switch generator.next() % 100 {
    case 0:
      board.restart(now: now())
      connection?.close(sendsDisconnect: false)
    case 1, 2:
      board.noteCut()
      connection?.close(sendsDisconnect: false)
    default: break
    }
  }

  private func finish() {
    isFinished = true
    connection?.close()
    finished.succeed(board.report)
  }

  // MARK: Connection

  private func connect() {
    let address = options.brokers[brokerNumber % options.brokers.count]
    var settings = MQTTConnectionState.Settings(
      connect: .init(
        clientID: board.id.text, isCleanSession: true, username: options.username,
        password: options.password))
    settings.names = .simulation
    if options.hasConsumer {
      settings.filters = [FleetTopic(.ack, board.id, shard: board.shard).description]
    }
    connection = MQTTConnection(
      address, tls: address.isSecure ? options.tls : nil, settings, on: loop
    ) { events in
      for event in events { self.received(event) }
      self.pump()
    }
  }

  private func received(_ event: MQTTEvent) {
    switch event {
    case .opened, .accepted: break
    case .subscribed:
      isSubscribed = true
      board.connected(now: now())
    case .acknowledged(let id):
      backOff.succeed()
      board.acknowledged(id, now: now())
    case .message(let publish):
      if let id = publish.id { connection?.send([.puback(id: id)]) }
      board.received(publish.payload, now: now())
    case .ended(let failure):
      // The faults of this program are no failures of the broker.
      if !isSubscribed, failure != .closedLocally { board.refused(failure) }
      (connection, isSubscribed) = (nil, false)
      guard !isFinished else { return }
      brokerNumber += 1
      after(Double(backOff.next(using: &generator)) / 1e9) { $0.connect() }
    }
  }

  /// Publishes the batches that are due, and waits for the next one.
  private func pump() {
    guard let connection, isSubscribed else { return }
    var packets: [MQTTPacket] = []
    if let status = board.statusIfDue(now: now()) { packets.append(.publish(status)) }
    while let publish = board.next(now: now()) { packets.append(.publish(publish)) }
    connection.send(packets)
    guard !isPumpScheduled, let next = board.nextAt else { return }
    isPumpScheduled = true
    after(max(next.seconds(since: now()), 0.001)) {
      $0.isPumpScheduled = false
      $0.pump()
    }
  }
}
