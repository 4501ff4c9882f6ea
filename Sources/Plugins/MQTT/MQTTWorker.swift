// SPDX-License-Identifier: Apache-2.0

internal import FixcastConfiguration
internal import Glibc
internal import Logging
internal import Positioning
internal import SQLiteStore
internal import Synchronization
internal import SystemSupport

/// Runs a session on a thread of its own, since connecting and TLS may block.
final class MQTTWorker: Sendable {
  /// The properties of a connection.
  struct Settings: Sendable {
    var broker: MQTTBroker
    var clientID: String
    var topics: MQTTTopics
    /// The topic of kept positions.
    var trackTopic: String
    /// Whether kept positions are JSON objects to which `sequence` is added.
    var numbersTrack = true
    /// The topic on which a subscriber publishes `online` when it starts; `nil` for none.
    var birthTopic: String?
    var limits = MQTTSession.Limits()
  }

  private struct State: ~Copyable {
    var session: MQTTSession
    var outbox: MQTTOutbox?
    /// Wakes the thread; `nil` without a free descriptor, and the thread then polls.
    var wakeUp: WakeUp?
  }

  private let settings: Settings
  private let state: Mutex<State>
  private let now: @Sendable () -> MonotonicTime
  private let logger: Logger
  private let name: String
  /// Ends when the thread ends.
  private let (end, endContinuation) = AsyncStream<Never>.makeStream()

  /// Opens the outbox, without connecting.
  ///
  /// Throws `SQLiteError` if the outbox cannot be opened.
  init(
    _ settings: Settings, name: String, outbox options: MQTTOutbox.Options?, logger: Logger,
    now: @escaping @Sendable () -> MonotonicTime
  ) throws(SQLiteError) {
    self.settings = settings
    self.name = name
    self.logger = logger
    self.now = now
    var outbox: MQTTOutbox?
    if let options {
      let opened = try MQTTOutbox(options)
      if let notice = opened.notice { logger.warning("\(name): \(notice)") }
      outbox = consume opened
    }
    let session = MQTTSession(
      availability: settings.topics.availability, limits: settings.limits, now: now())
    state = Mutex(State(session: session, outbox: outbox, wakeUp: try? WakeUp()))
  }

  /// Starts the thread; returns false if no thread can be created.
  func start() -> Bool { BlockingThread.start { self.run() } }

  /// Publishes a message, or replaces the message of its topic.
  func publish(_ message: MQTTMessage) {
    state.withLock { state in
      state.session.publish(message)
      state.wakeUp?.signal()
    }
  }

  /// Adds a position to the outbox.
  ///
  /// - Returns: The number of positions that were thinned out to make room.
  /// - Throws: `SQLiteError` if the position was not added.
  func keep(_ payload: [UInt8], time: UTCTime?, utcNow: UTCTime?) throws(SQLiteError) -> Int {
    try state.withLock { state throws(SQLiteError) in
      let before = state.outbox?.thinnedCount ?? 0
      try state.outbox?.add(payload, time: time, now: utcNow)
      state.session.positionWasKept()
      state.wakeUp?.signal()
      return (state.outbox?.thinnedCount ?? 0) - before
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
    func fail(_ failure: MQTTFailure) {
      (connection, tickets) = (nil, [:])
      let isStopping = state.withLock { state in
        state.session.failed(failure, now: now())
        return state.session.isStopping
      }
      if !isStopping, let line = log.line(failure) { logger.warning("\(name): \(line)") }
    }
    while true {
      let (action, wakeUp) = state.withLock { ($0.session.next(now: now()), $0.wakeUp) }
      do throws(MQTTFailure) {
        switch action {
        case .finish:
          state.withLock { $0.outbox = nil }
          return endContinuation.finish()
        case .connect: connection = try connect()
        case .disconnect(let isPlanned):
          if isPlanned { connection?.disconnect() }
          (connection, tickets) = (nil, [:])
          if !isPlanned { fail(MQTTFailure("the broker does not answer")) }
        case .publish(let message, let ticket):
          if let id = try connection?.publish(message) { tickets[id] = ticket }
        case .publishKept(let sequence, let ticket):
          let message = nextKept(after: sequence, ticket)
          if let message, let id = try connection?.publish(message) { tickets[id] = ticket }
        case .remove(let sequence): remove(sequence)
        case .wait(let time):
          let milliseconds = time.map { Int32(min(max($0.seconds(since: now()), 0), 3600) * 1000) }
          guard let open = connection else {
            sleep(milliseconds ?? 1000, orUntil: wakeUp)
            break
          }
          for event in try open.wait(milliseconds: milliseconds.map { $0 + 1 }, orUntil: wakeUp) {
            switch event {
            case .connected:
              state.withLock { $0.session.connected(now: now()) }
              if let topic = settings.birthTopic { try open.subscribe(to: topic) }
              logger.info("\(name): \(log.connected())")
            case .acknowledged(let id):
              if let ticket = tickets.removeValue(forKey: id) {
                state.withLock { $0.session.acknowledged(ticket) }
              }
            case .received(let payload):
              if payload == Array("online".utf8) { republish() }
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
      will: MQTTMessage(topic: settings.topics.availability, payload: Array("offline".utf8)))
  }

  private func file(_ name: String) throws(MQTTFailure) -> CredentialFile {
    let folder = getenv("CREDENTIALS_DIRECTORY").map { String(cString: $0) }
    guard let file = CredentialFile(name, folder: folder) else {
      throw MQTTFailure("\(name) is not a credential of the service")
    }
    return file
  }

  /// Returns the next kept position as a message; `nil` if there is none.
  private func nextKept(after sequence: Int64, _ ticket: MQTTSession.Ticket) -> MQTTMessage? {
    state.withLock { state in
      do {
        let item = try state.outbox?.next(after: sequence)
        state.session.published(kept: item?.sequence, ticket, now: now())
        guard let item else { return nil }
        let number = settings.numbersTrack ? Array("{\"sequence\":\(item.sequence),".utf8) : [123]
        return MQTTMessage(
          topic: settings.trackTopic, payload: number + item.payload.dropFirst(),
          isRetained: false)
      } catch {
        state.session.published(kept: nil, ticket, now: now())
        logger.warning("\(name): \(error)")
        return nil
      }
    }
  }

  private func remove(_ sequence: Int64) {
    do throws(SQLiteError) {
      try state.withLock { state throws(SQLiteError) in try state.outbox?.remove(sequence) }
    } catch {
      logger.warning("\(name): \(error)")
    }
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
