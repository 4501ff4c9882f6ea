// SPDX-License-Identifier: Apache-2.0

package import FixcastConfiguration
internal import FleetProtocol
internal import LocationServices
internal import Logging
internal import MQTTClient
package import Pipeline
internal import Positioning
internal import SQLiteStore
internal import Synchronization
internal import SystemSupport
internal import WeatherClient

/// Publishes the positions of a board of a fleet, in batches that are kept until the fleet's
/// database has them.
///
/// With `accuracy = "full"`, needs locations with full accuracy.
package actor FleetSink: DeliveringSink {
  /// The plugin's entry in the catalogue.
  package static let plugin = Plugin.sink(
    "fleet", "positions of a board for the database of a fleet",
    MQTTBroker.settings + FleetBoardSettings.settings, mailbox: .track,
    makeFilter: { _ in { $0 is LocationEvent } }, extraSuffixes: SQLiteDatabase.besides,
    warning: MQTTBroker.cleartextWarning,
    make: { settings, context throws(SettingsError) in try FleetSink(settings, context) })

  /// The name in reports and in the status.
  package nonisolated let name: String
  private let context: PluginContext
  private let broker: MQTTBroker
  private let settings: FleetBoardSettings
  private var state: FleetBoardState
  /// The state of the worker and of the outbox, for the status.
  private nonisolated let shared = Mutex<Shared>(Shared())
  private var statusTopic = ""
  /// Completes the open batch after `batch_seconds`.
  private var timer: Task<Void, Never>?
  /// The error because of which the outbox must be opened again.
  private var outboxError: SQLiteError?

  private struct Shared {
    var worker: MQTTWorker<FleetOutbox>?
    /// The last failure to store a batch and its time; `nil` if the last batch was stored.
    var failure: (error: SQLiteError, since: MonotonicTime)?
  }

  /// Creates a sink without connecting to the broker.
  ///
  /// Throws `SettingsError` if the settings are invalid.
  package init(_ settings: SettingsTable, _ context: PluginContext) throws(SettingsError) {
    name = context.name ?? Self.plugin.name
    self.context = context
    broker = try MQTTBroker(settings)
    self.settings = try FleetBoardSettings(settings)
    state = FleetBoardState(self.settings)
  }

  /// Whether a plugin is a board of a fleet that does not request the weather itself.
  package static func usesOnlyFleetWeather(_ plugin: PluginSettings) -> Bool {
    guard plugin.role == .sink, plugin.type == Self.plugin.name else { return false }
    return (try? FleetBoardSettings(plugin.settings).usesOnlyFleetWeather) ?? false
  }

  private nonisolated var worker: MQTTWorker<FleetOutbox>? {
    get { shared.withLock { $0.worker } }
    set { shared.withLock { $0.worker = newValue } }
  }

  /// The state of the delivery to the broker and, with `ack = "consumer"`, to the database.
  package nonisolated var delivery: SinkDelivery {
    let (worker, failure) = shared.withLock { ($0.worker, $0.failure) }
    var delivery = worker?.delivery ?? SinkDelivery()
    if let failure {
      (delivery.waitingReason, delivery.since) = ("\(failure.error)", failure.since)
    }
    return delivery
  }

  /// Opens the outbox and starts to connect.
  package func start() async throws {
    if let warning = broker.cleartextWarning {
      context.logger.warning("\(name): \(broker.description): \(warning)")
    }
    try open()
  }

  /// Opens the outbox and starts to connect.
  private func open(after cause: SQLiteError? = nil) throws {
    let machineID = BoundedFile.text("/etc/machine-id") ?? ""
    guard let board = settings.board ?? FleetBoardID(machineID: machineID) else {
      throw PluginError(.configuration, "/etc/machine-id", why: "has no machine id; set board")
    }
    let shard = settings.shard ?? board.shard
    var generator = SystemRandomNumberGenerator()
    let outbox: FleetOutbox
    do throws(SQLiteError) {
      outbox = try FleetOutbox(
        .init(
          path: settings.outboxPath, board: board, shard: shard,
          limitBytes: settings.outboxLimitBytes, keepDays: settings.outboxDays,
          boot: BootTimestamp.bootID, isReduced: settings.isReduced), after: cause,
        using: &generator)
    } catch {
      throw PluginError(error)
    }
    if let notice = outbox.takeNotice() { context.logger.warning("\(name): \(notice)") }
    let count = outbox.droppedCount
    if count > 0 {
      context.logger.warning("\(name): dropped \(count) precise positions, as accuracy is reduced")
    }
    let connection = connection(board, shard, epoch: outbox.epoch)
    statusTopic = connection.availability
    let worker = MQTTWorker(
      connection, name: name, outbox: outbox, logger: context.logger, now: context.now)
    self.worker = worker
    publishStatus()
    worker.start()
  }

  /// Adds a location to the open batch.
  package func receive(_ event: any PipelineEvent) async throws {
    guard let event = event as? LocationEvent else { return }
    state.receive(event.location, cell: context.reducedCell, now: context.now())
    if settings.isReduced { context.reducedCell.save() }
    if state.batcher.open == nil {
      timer?.cancel()
      timer = nil
    } else if timer == nil {
      timer = Task { [clock = context.clock, seconds = settings.batchSeconds] in
        guard (try? await clock.sleep(for: .seconds(seconds))) != nil else { return }
        closeBatch()
      }
    }
    store()
    try await reopenIfNeeded()
  }

  /// Stores the open batch, publishes `offline` and disconnects.
  package func stop() async {
    timer?.cancel()
    state.batcher.close()
    store()
    try? await reopenIfNeeded()
    await worker?.stop()
    worker = nil
  }

  private func connection(
    _ board: FleetBoardID, _ shard: FleetShard, epoch: FleetEpoch
  ) -> MQTTWorkerSettings {
    func topic(_ kind: FleetTopic.Kind) -> String {
      FleetTopic(kind, board, shard: shard).description
    }
    let (ack, weather, status) = (topic(.ack), topic(.weather), topic(.status))
    var offline = FleetStatus(isOnline: false)
    offline.epoch = epoch
    var connection = MQTTWorkerSettings(
      broker: broker, clientID: broker.clientID ?? board.text, availability: status, online: nil,
      offline: offline.json)
    let isConfirmed = settings.acknowledgement == .consumer
    connection.subscriptions =
      [status] + (isConfirmed ? [ack] : []) + (settings.usesWeather ? [weather] : [])
    connection.utcNow = context.utcNow
    connection.limits.keptPerSecond = 5
    connection.limits.keptDelaySeconds = 0...settings.startDelaySeconds
    connection.limits.confirmationSeconds = isConfirmed ? 600 : nil
    connection.received = { [receiveWeather = context.receiveWeather] topic, payload in
      if topic == ack, let message = try? FleetAcknowledgement(json: payload),
        message.epoch == epoch
      {
        return .confirm(through: message.sequence)
      }
      if topic == status, let message = try? FleetStatus(json: payload) {
        return message.epoch == epoch ? .none : .foreign
      }
      if topic == weather,
        let message = try? FleetWeatherMessage<WeatherReport>(json: payload)
      {
        receiveWeather(message.report, message.ageSeconds)
      }
      return .none
    }
    connection.failed = { [weak self] failure in
      guard failure.isRejection else { return }
      Task { await self?.note(failure.text) }
    }
    return connection
  }

  private func closeBatch() {
    timer = nil
    state.batcher.close()
    store()
  }

  /// Opens the outbox again if another program moved or damaged its file, and stores the complete
  /// batches.
  ///
  /// A new file has another epoch, so the connection begins again.
  private func reopenIfNeeded() async throws {
    guard let outboxError else { return }
    let old = worker
    worker = nil
    await old?.stop()
    try open(after: outboxError)
    self.outboxError = nil
    store()
  }

  /// Stores the complete batches; those that cannot be stored are tried again with the next one.
  private func store() {
    guard let worker else { return }
    do throws(SQLiteError) {
      let utcNow = context.utcNow()
      while let draft = state.batcher.complete.first {
        let kept = try worker.keep { outbox throws(SQLiteError) in
          let before = outbox.droppedCount
          try outbox.add(draft, now: utcNow)
          return (dropped: outbox.droppedCount - before, notice: outbox.takeNotice())
        }
        state.batcher.removeFirst()
        shared.withLock { $0.failure = nil }
        if let notice = kept?.notice { context.logger.warning("\(name): \(notice)") }
        if let dropped = kept?.dropped, dropped > 0 {
          note("the outbox is full or positions are too old; dropped \(dropped) of them")
        }
      }
    } catch {
      guard !error.needsReopening else {
        outboxError = error
        return
      }
      let now = context.now()
      let last = shared.withLock { shared in
        defer { shared.failure = (error, shared.failure?.since ?? now) }
        return shared.failure?.error
      }
      if last != error { context.logger.warning("\(name): \(error)") }
      note("\(error)")
    }
    publishStatus()
  }

  private func note(_ problem: String) { state.note(problem, now: context.now()) }

  private func publishStatus() {
    let now = context.now()
    let counts = try? worker?.keep { outbox throws(SQLiteError) in
      (outbox.epoch, outbox.count, outbox.droppedCount)
    }
    guard let (epoch, pending, dropped) = counts ?? nil,
      let status = state.statusIfDue(
        epoch: epoch, pendingCount: pending, droppedCount: dropped, now: now)
    else { return }
    worker?.publish(MQTTMessage(topic: statusTopic, payload: status.json))
  }
}
