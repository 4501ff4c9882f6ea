// SPDX-License-Identifier: Apache-2.0

internal import FleetProtocol
internal import MQTTPackets
internal import NIOCore
internal import NIOPosix
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
  private var channel: (any Channel)?
  private var isAccepted = false
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
      channel?.close(promise: nil)
    case 1, 2:
      board.noteCut()
      channel?.close(promise: nil)
    default: break
    }
  }

  private func finish() {
    isFinished = true
    if let channel {
      send([.disconnect], channel)
      channel.close(promise: nil)
    }
    finished.succeed(board.report)
  }

  // MARK: Connection

  private func connect() {
    let address = options.brokers[brokerNumber % options.brokers.count]
    let bound = NIOLoopBound(self, eventLoop: loop)
    ClientBootstrap(group: loop)
      .connectTimeout(.seconds(10))
      .channelOption(.tcpOption(.tcp_nodelay), value: 1)
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandlers([
            IdleStateHandler(readTimeout: .seconds(60), writeTimeout: .seconds(20)),
            ByteToMessageHandler(MQTTPacketDecoder()), SimulatedHandler(bound.value),
          ])
        }
      }
      .connect(host: address.host, port: address.port)
      .assumeIsolated().whenFailure { _ in self.reconnect() }
  }

  private func reconnect() {
    brokerNumber += 1
    after(Double(backOff.next(using: &generator)) / 1e9) { $0.connect() }
  }

  func opened(_ channel: any Channel) {
    self.channel = channel
    guard !isFinished else { return channel.close(promise: nil) }
    let connect = MQTTPacket.Connect(
      clientID: board.id.text, isCleanSession: true, keepAliveSeconds: 30,
      username: options.username, password: options.password)
    send([.connect(connect)], channel)
  }

  func closed() {
    (channel, isAccepted) = (nil, false)
    if !isFinished { reconnect() }
  }

  func received(_ packet: MQTTPacket) {
    guard let channel else { return }
    switch packet {
    case .connack(let code, _):
      guard code == 0 else { return channel.close(promise: nil) }
      guard options.hasConsumer else { return accepted() }
      let topic = FleetTopic(.ack, board.id, shard: board.shard).description
      send([.subscribe(id: 1, filters: [topic])], channel)
    case .suback: accepted()
    case .puback(let id):
      backOff.succeed()
      board.acknowledged(id, now: now())
      pump()
    case .publish(let publish):
      if let id = publish.id { send([.puback(id: id)], channel) }
      board.received(publish.payload, now: now())
      pump()
    default: break
    }
  }

  private func accepted() {
    isAccepted = true
    board.connected(now: now())
    pump()
  }

  /// Publishes the batches that are due, and waits for the next one.
  private func pump() {
    guard let channel, isAccepted else { return }
    var packets: [MQTTPacket] = []
    if let status = board.statusIfDue(now: now()) { packets.append(.publish(status)) }
    while let publish = board.next(now: now()) { packets.append(.publish(publish)) }
    if !packets.isEmpty { send(packets, channel) }
    guard !isPumpScheduled, let next = board.nextAt else { return }
    isPumpScheduled = true
    after(max(next.seconds(since: now()), 0.001)) {
      $0.isPumpScheduled = false
      $0.pump()
    }
  }

  func send(_ packets: [MQTTPacket], _ channel: any Channel) {
    var buffer = channel.allocator.buffer(capacity: 256)
    for packet in packets { packet.write(to: &buffer) }
    channel.writeAndFlush(buffer, promise: nil)
  }
}

/// Passes the packets of a connection to its board.
private final class SimulatedHandler: ChannelInboundHandler {
  typealias InboundIn = MQTTPacket

  private let connection: SimulatedConnection

  init(_ connection: SimulatedConnection) { self.connection = connection }

  func channelActive(context: ChannelHandlerContext) { connection.opened(context.channel) }

  func channelInactive(context: ChannelHandlerContext) { connection.closed() }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    connection.received(unwrapInboundIn(data))
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    switch event as? IdleStateHandler.IdleStateEvent {
    case .write: connection.send([.pingreq], context.channel)
    case .read: context.close(promise: nil)
    default: break
    }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    context.close(promise: nil)
  }
}
