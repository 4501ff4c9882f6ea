// SPDX-License-Identifier: Apache-2.0

internal import FixcastConfiguration
internal import Glibc
internal import Logging
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
  /// Returns the wall-clock time, for the age of kept messages; `nil` if it is unknown.
  var utcNow: @Sendable () -> UTCTime? = { nil }
}

/// Runs a session on a thread of its own, since connecting and TLS may block.
final class MQTTWorker<Outbox: MQTTKeptMessages & ~Copyable>: Sendable {
  typealias Settings = MQTTWorkerSettings

  private struct State: ~Copyable {
    var session: MQTTSession
    var outbox: Outbox?
    /// The number of kept messages, and the time of the first one.
    var kept: (count: Int, oldestAt: MonotonicTime?) = (0, nil)
    /// Wakes the thread; `nil` without a free descriptor, and the thread then polls.
    var wakeUp: WakeUp?
  }

  private let settings: Settings
  private let state: Mutex<State>
  /// A copy for the status, which must not wait for a write to the outbox.
  private let lastDelivery: Mutex<MQTTDelivery>
  private let now: @Sendable () -> MonotonicTime
  private let logger: Logger
  private let name: String
  /// Ends when the thread ends.
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
    var state = State(session: session, outbox: outbox, wakeUp: try? WakeUp())
    Self.count(&state, settings, now: now())
    self.state = Mutex(state)
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

  /// Starts the thread; returns false if no thread can be created.
  func start() -> Bool { BlockingThread.start { self.run() } }

  /// Publishes a message, or replaces the message of its topic.
  func publish(_ message: MQTTMessage) {
    state.withLock { state in
      state.session.publish(message, now: now())
      noteDelivery(state)
      state.wakeUp?.signal()
    }
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
    try state.withLock { state throws(SQLiteError) in
      let result = try state.outbox?.change(body)
      state.session.messageWasKept()
      Self.count(&state, settings, now: now())
      noteDelivery(state)
      state.wakeUp?.signal()
      return result
    }
  }

  /// Publishes `offline` and disconnects; returns when the thread has ended.
  ///
  /// Returns at once while the worker is connecting, which may block: the thread ends later.
  func stop() async {
    let isConnecting = state.withLock { state in
      state.session.stop(now: now())
      state.wakeUp?.signal()
      // A successor may open the file before the thread ends.
      if state.session.isConnecting { state.outbox = nil }
      return state.session.isConnecting
    }
    if isConnecting { return }
    for await _ in end {}
  }

  // MARK: Thread

  private func run() {
    var connection: MQTTConnection?
    var tickets: [Int32: MQTTSession.Ticket] = [:]
    var log = MQTTLog(broker: settings.broker.description)
    var takeover = MQTTTakeover()
    var subscriptions = MQTTSubscriptions(settings.subscriptions)
    func fail(_ failure: MQTTFailure) {
      (connection, tickets) = (nil, [:])
      var failure = takeover.failure(failure, clientID: settings.clientID, now: now())
      failure = subscriptions.failure(failure, now: now())
      settings.failed(failure)
      let (isStopping, oversized) = state.withLock { state in
        state.session.failed(failure, now: now())
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
      if !isStopping, let line = log.line(failure) { logger.warning("\(name): \(line)") }
    }
    while true {
      let (action, wakeUp) = state.withLock { state in
        let action = state.session.next(now: now())
        noteDelivery(state)
        return (action, state.wakeUp)
      }
      do throws(MQTTFailure) {
        switch action {
        case .finish:
          state.withLock { $0.outbox = nil }
          return endContinuation.finish()
        case .connect:
          connection = try connect()
          state.withLock { $0.session.opened(now: now()) }
        case .disconnect(let isPlanned):
          if isPlanned { connection?.disconnect() }
          (connection, tickets) = (nil, [:])
          if !isPlanned { fail(MQTTFailure("the broker does not answer")) }
        case .publish(let message, let ticket):
          if let id = try connection?.publish(message) { tickets[id] = ticket }
        case .publishKept(let sequence, let ticket):
          let message = nextKept(after: sequence, ticket)
          if let message, let id = try connection?.publish(message) { tickets[id] = ticket }
        case .remove(let sequences): remove(sequences)
        case .wait(let time):
          // Without a descriptor, nothing ends the wait.
          let maxSeconds = wakeUp == nil ? 1.0 : 3600
          let seconds = time?.seconds(since: now()) ?? (wakeUp == nil ? 1 : nil)
          let milliseconds = seconds.map { Int32(min(max($0, 0), maxSeconds) * 1000) }
          guard let open = connection else {
            sleep(milliseconds ?? 1000, orUntil: wakeUp)
            break
          }
          for event in try open.wait(milliseconds: milliseconds.map { $0 + 1 }, orUntil: wakeUp) {
            switch event {
            case .connected:
              state.withLock { $0.session.connected(now: now()) }
              takeover.connected(now: now())
              for topic in subscriptions.topics(at: now()) { try open.subscribe(to: topic) }
              logger.info("\(name): \(log.connected())")
            case .acknowledged(let id):
              if let ticket = tickets.removeValue(forKey: id) {
                state.withLock { $0.session.acknowledged(ticket) }
              }
            case .received(let topic, let payload):
              switch settings.received(topic, payload) {
              case .none: break
              case .republish: republish()
              case .foreign: takeover.receivedForeignMessage()
              case .confirm(let sequence):
                state.withLock { $0.session.confirmed(through: sequence, now: now()) }
              }
            }
          }
        }
      } catch {
        fail(error)
      }
      renew(wakeUp)
    }
  }

  private func connect() throws(MQTTFailure) -> MQTTConnection {
    var broker = settings.broker
    if let name = broker.tls?.keyFile { broker.tls?.keyFile = try file(name).path }
    var password: String?
    if let name = broker.passwordFile {
      // The file is read for each connection, so that a new password needs no restart.
      do { password = try file(name).read().exposed } catch { throw MQTTFailure("\(error)") }
    }
    return try MQTTConnection(
      broker, clientID: settings.clientID, password: password,
      will: MQTTMessage(topic: settings.availability, payload: settings.offline))
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

  private func sleep(_ milliseconds: Int32, orUntil wakeUp: WakeUp?) {
    var descriptor = pollfd(fd: wakeUp?.descriptor ?? -1, events: Int16(POLLIN), revents: 0)
    _ = poll(&descriptor, 1, max(milliseconds, 1))
  }

  /// Replaces a signal that was used, since each serves once.
  private func renew(_ wakeUp: WakeUp?) {
    var descriptor = pollfd(fd: wakeUp?.descriptor ?? -1, events: Int16(POLLIN), revents: 0)
    guard wakeUp == nil || poll(&descriptor, 1, 0) > 0 else { return }
    let next = try? WakeUp()
    state.withLock { $0.wakeUp = next }
  }
}
