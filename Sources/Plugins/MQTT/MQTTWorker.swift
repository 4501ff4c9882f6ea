// SPDX-License-Identifier: Apache-2.0

internal import FixcastConfiguration
internal import Glibc
internal import Logging
internal import MQTTClient
internal import NIOCore
internal import NIOPosix
internal import Pipeline
internal import Positioning
internal import SQLiteStore
internal import Synchronization
internal import SystemSupport

/// The properties of a connection.
struct MQTTWorkerSettings: Sendable {
  /// The consequence of a received message.
  enum Reaction: Equatable, Sendable {
    case none
    /// Publish the newest message of each topic again.
    case republish
    /// A consumer has confirmed all kept messages up to a sequence number.
    case confirm(through: Int64)
    /// Only another client with the same id can have published the message.
    case foreign
  }

  var broker: MQTTBroker
  var clientID: String
  /// The topic of the message that the broker publishes if the connection is lost.
  var availability: String
  /// The payload of the availability after a connection; `nil` if the topic has a newest message.
  var online: [UInt8]? = Array("online".utf8)
  var offline = Array("offline".utf8)
  var subscriptions: [String] = []
  /// Handles a message of a subscription; its arguments are the topic and the payload.
  var received: @Sendable (String, [UInt8]) -> Reaction = { _, _ in .none }
  /// Handles the failure of a connection.
  var failed: @Sendable (MQTTFailure) -> Void = { _ in }
  var limits = MQTTSession.Limits()
  /// The size of the largest message that a board may have to read: a report of the weather.
  let maxReceivedBytes = 262_144
  /// Returns the wall-clock time, for the age of kept messages; `nil` if it is unknown.
  var utcNow: @Sendable () -> UTCTime? = { nil }
}

/// The event loop of all connections to brokers, whose thread starts with the first one.
///
/// The event loops of the servers must not wait for an outbox on a slow disk.
private enum MQTTEventLoop {
  private static let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
  static var loop: any EventLoop { group.any() }
}

/// Runs a session on an event loop.
final class MQTTWorker<Outbox: MQTTKeptMessages & ~Copyable>: Sendable {
  typealias Settings = MQTTWorkerSettings

  private struct State: ~Copyable {
    var session: MQTTSession
    var outbox: Outbox?
    /// The number of kept messages, and the time of the first one.
    var kept: (count: Int, oldestAt: MonotonicTime?) = (0, nil)
    var isStarted = false
  }

  /// The connection and what is known about it, for use on the event loop.
  private struct Link {
    var connection: MQTTConnection?
    /// The number of the connection, whose events count.
    var number = 0
    var log: MQTTLog
    var takeover = MQTTTakeover()
    var subscriptions: MQTTSubscriptions
    /// The next decision without an event, and its time.
    var timer: (task: Scheduled<Void>, at: MonotonicTime)?
  }

  private let settings: Settings
  private let state: Mutex<State>
  private let loop = MQTTEventLoop.loop
  private let link: NIOLoopBoundBox<Link>
  /// A copy for the status, which must not wait for a write to the outbox.
  private let lastDelivery: Mutex<MQTTDelivery>
  private let now: @Sendable () -> MonotonicTime
  private let logger: Logger
  private let name: String
  /// Ends when the session ends.
  private let (end, endContinuation) = AsyncStream<Never>.makeStream()

  /// Creates a worker that keeps messages in an outbox; `nil` without one.
  init(
    _ settings: Settings, name: String, outbox: consuming sending Outbox?, logger: Logger,
    now: @escaping @Sendable () -> MonotonicTime
  ) {
    self.settings = settings
    self.name = name
    self.logger = logger
    self.now = now
    let session = MQTTSession(
      availability: settings.availability, online: settings.online, offline: settings.offline,
      limits: settings.limits, now: now())
    lastDelivery = Mutex(session.delivery)
    var state = State(session: session, outbox: outbox)
    Self.count(&state, settings, now: now())
    self.state = Mutex(state)
    let link = Link(
      log: MQTTLog(broker: settings.broker.description),
      subscriptions: MQTTSubscriptions(settings.subscriptions))
    self.link = .makeBoxSendingValue(link, eventLoop: loop)
  }

  /// The state of the delivery.
  var delivery: SinkDelivery {
    lastDelivery.withLock { $0 }.state(of: settings.broker.description, now: now())
  }

  /// Counts the kept messages.
  private static func count(
    _ state: inout State, _ settings: Settings, now: MonotonicTime
  ) {
    // The count stays as it was if the file cannot be read.
    guard let (count, oldest) = try? state.outbox?.undelivered() else { return }
    let age = oldest.flatMap { oldest in settings.utcNow().map { $0.nanoseconds(since: oldest) } }
    state.kept = (count, age.map { now.advanced(byNanoseconds: -max($0, 0)) })
  }

  /// Updates the copy for the status.
  private func noteDelivery(_ state: borrowing State) {
    var delivery = state.session.delivery
    delivery.undeliveredCount += state.kept.count
    delivery.oldestAt = [delivery.oldestAt, state.kept.oldestAt].compactMap(\.self).min()
    lastDelivery.withLock { $0 = delivery }
  }

  /// Connects, and continues until ``stop()``.
  func start() {
    state.withLock { $0.isStarted = true }
    wake()
  }

  private func wake() {
    guard state.withLock({ $0.isStarted }) else { return }
    loop.execute { self.proceed() }
  }

  /// Publishes a message, or replaces the message of its topic.
  func publish(_ message: MQTTMessage) {
    state.withLock { state in
      state.session.publish(message, now: now())
      noteDelivery(state)
    }
    wake()
  }

  /// Adds messages to the outbox.
  ///
  /// - Parameter body: Changes the outbox.
  /// - Returns: The result of the body; `nil` without an outbox.
  /// - Throws: The error of the body.
  @discardableResult
  func keep<Result: Sendable>(
    _ body: @Sendable (inout Outbox) throws(SQLiteError) -> Result
  ) throws(SQLiteError) -> Result? {
    let result = try state.withLock { state throws(SQLiteError) in
      let result = try state.outbox?.change(body)
      state.session.messageWasKept()
      Self.count(&state, settings, now: now())
      noteDelivery(state)
      return result
    }
    wake()
    return result
  }

  /// Publishes `offline` and disconnects; returns when the session has ended.
  func stop() async {
    state.withLock { $0.session.stop(now: now()) }
    loop.execute { self.proceed() }
    for await _ in end {}
  }

  // MARK: Event loop

  /// Acts on the decisions of the session until it waits.
  private func proceed() {
    var packets: [MQTTPacket] = []
    while true {
      let action = state.withLock { state in
        defer { noteDelivery(state) }
        return state.session.next(now: now())
      }
      switch action {
      case .publish(let message, let ticket): packets.append(.publish(message.packet(id: ticket)))
      case .publishKept(let sequence, let ticket):
        guard let message = nextKept(after: sequence, ticket) else { break }
        packets.append(.publish(message.packet(id: ticket)))
      case .remove(let sequences): remove(sequences)
      case .connect: connect()
      case .disconnect(let isPlanned):
        link.value.connection?.send(packets)
        packets = []
        close(isPlanned: isPlanned)
        if !isPlanned { fail(.silence) }
      case .wait(let time):
        link.value.connection?.send(packets)
        return wait(until: time)
      case .finish:
        close(isPlanned: false)
        link.value.timer?.task.cancel()
        state.withLock { $0.outbox = nil }
        return endContinuation.finish()
      }
    }
  }

  private func wait(until time: MonotonicTime?) {
    guard time != link.value.timer?.at else { return }
    link.value.timer?.task.cancel()
    link.value.timer = time.map { time in
      let seconds = max(time.seconds(since: now()), 0)
      let task = loop.scheduleTask(in: .nanoseconds(Int64(seconds * 1e9))) {
        self.link.value.timer = nil
        self.proceed()
      }
      return (task, time)
    }
  }

  private func connect() {
    link.value.number += 1
    let number = link.value.number
    do throws(MQTTFailure) {
      let broker = try broker()
      link.value.connection = MQTTConnection(
        broker.address, tls: try broker.tls?.context(), try protocolSettings(broker), on: loop
      ) { events in
        guard self.link.value.number == number else { return }
        for event in events { self.received(event) }
        self.proceed()
      }
    } catch {
      fail(error)
    }
  }

  private func close(isPlanned: Bool) {
    link.value.number += 1
    link.value.connection?.close(sendsDisconnect: isPlanned)
    link.value.connection = nil
  }

  private func received(_ event: MQTTEvent) {
    let now = now()
    switch event {
    case .opened: state.withLock { $0.session.opened(now: now) }
    case .accepted:
      state.withLock { $0.session.connected(now: now) }
      link.value.takeover.connected(now: now)
      let line = link.value.log.connected()
      logger.info("\(name): \(line)")
    case .subscribed: break
    case .acknowledged(let id): state.withLock { $0.session.acknowledged(id) }
    case .message(let message):
      if let id = message.id { link.value.connection?.send([.puback(id: id)]) }
      switch settings.received(message.topic, message.payload) {
      case .none: break
      case .republish: republish()
      case .foreign: link.value.takeover.receivedForeignMessage()
      case .confirm(let sequence):
        state.withLock { $0.session.confirmed(through: sequence, now: now) }
      }
    case .ended(let failure):
      link.value.connection = nil
      fail(failure)
    }
  }

  private func fail(_ failure: MQTTFailure) {
    let now = now()
    var failure = link.value.takeover.failure(failure, clientID: settings.clientID, now: now)
    failure = link.value.subscriptions.failure(failure, now: now)
    settings.failed(failure)
    let (isStopping, oversized) = state.withLock { state in
      state.session.failed(failure, now: now)
      return (state.session.isStopping, state.session.takeOversized())
    }
    if let oversized {
      logger.warning(
        """
        \(name): the broker closes the connection at \(oversized.topic) \
        (\(oversized.byteCount) bytes); divided or left out such messages; to get them, correct the \
        broker's packet limit or its permissions for the topic, then restart fixcast
        """)
    }
    if !isStopping, let line = link.value.log.line(failure) { logger.warning("\(name): \(line)") }
  }

  /// Returns the broker with the path of its key, which others may not be able to read.
  private func broker() throws(MQTTFailure) -> MQTTBroker {
    var broker = settings.broker
    if let name = broker.tls?.keyFile {
      let key = try file(name)
      do { _ = try key.bytes() } catch { throw MQTTFailure("\(error)") }
      broker.tls?.keyFile = key.path
    }
    return broker
  }

  private func protocolSettings(
    _ broker: MQTTBroker
  ) throws(MQTTFailure) -> MQTTConnectionState.Settings {
    var password: String?
    if let name = broker.passwordFile {
      // The file is read for each connection, so that a new password needs no restart.
      do { password = try file(name).read().exposed } catch { throw MQTTFailure("\(error)") }
    }
    let will = MQTTMessage(topic: settings.availability, payload: settings.offline)
    var protocolSettings = MQTTConnectionState.Settings(
      connect: .init(
        clientID: settings.clientID, isCleanSession: true,
        keepAliveSeconds: UInt16(clamping: broker.keepAliveSeconds), username: broker.username,
        password: password, will: will.packet(id: nil)))
    (protocolSettings.filters, protocolSettings.qos) = (
      link.value.subscriptions.topics(at: now()), 0
    )
    protocolSettings.maxLength = settings.maxReceivedBytes
    protocolSettings.maxPendingBytes = 2 * settings.maxReceivedBytes
    return protocolSettings
  }

  private func file(_ name: String) throws(MQTTFailure) -> CredentialFile {
    let folder = getenv("CREDENTIALS_DIRECTORY").map { String(cString: $0) }
    guard let file = CredentialFile(name, folder: folder) else {
      throw MQTTFailure("\(name) is not a credential of the service")
    }
    return file
  }

  /// Returns the next kept message; `nil` if there is none.
  private func nextKept(after sequence: Int64, _ ticket: MQTTSession.Ticket) -> MQTTMessage? {
    state.withLock { state in
      do {
        let item = try state.outbox?.next(after: sequence)
        state.session.published(kept: item?.sequence, ticket, now: now())
        return item?.message
      } catch {
        state.session.published(kept: nil, ticket, now: now())
        warn(error)
        return nil
      }
    }
  }

  private func remove(_ sequences: ClosedRange<Int64>) {
    do throws(SQLiteError) {
      try state.withLock { state throws(SQLiteError) in
        try state.outbox?.remove(sequences)
        Self.count(&state, settings, now: now())
      }
      // Without confirmations by consumers, every acknowledged message would log a line.
      guard settings.limits.confirmationSeconds != nil else { return }
      logger.debug("\(name): removed confirmed messages through \(sequences.upperBound)")
    } catch {
      warn(error)
    }
  }

  private func warn(_ error: any Error) {
    // The sink reports a file that was moved when it opens a new one.
    if case SQLiteError.displaced = error { return }
    logger.warning("\(name): \(error)")
  }

  /// Publishes everything again after up to 10 seconds, so that many boards do not do so at once.
  private func republish() {
    let delay = Double.random(in: 0...10)
    state.withLock { $0.session.republish(at: now().advanced(bySeconds: delay)) }
  }
}
