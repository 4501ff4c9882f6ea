// SPDX-License-Identifier: Apache-2.0

package import FixcastConfiguration
internal import Logging
package import Pipeline
internal import Positioning
internal import SQLiteStore
internal import Synchronization

/// Publishes position, satellites, weather and receiver to an MQTT broker.
///
/// Needs locations with full accuracy. The newest state of each topic is retained by the broker.
/// With an outbox, positions are kept until the broker acknowledges them.
package actor MQTTSink: DeliveringSink {
  private static let outbox = SettingKey.path(
    "outbox", summary: "SQLite file that keeps positions until the broker acknowledges them"
  ).optional.example(.string("/var/lib/fixcast/outbox.sqlite"))
  private static let limitBytes = SettingKey.count(
    "outbox_limit_bytes", in: 10_000...100_000_000_000, default: 20_000_000,
    summary: "size of the kept positions beyond which the older half is thinned out")
  private static let keepDays = SettingKey.count(
    "outbox_days", in: 1...36_500, default: 30, summary: "number of days to keep positions")

  /// The plugin's entry in the catalogue.
  package static let plugin = Plugin.sink(
    "mqtt", "position and weather for an MQTT broker, Home Assistant and OwnTracks",
    MQTTBroker.settings + MQTTBoardSettings.settings
      + [outbox.declaration, limitBytes.declaration, keepDays.declaration],
    mailbox: .track, extraSuffixes: SQLiteDatabase.besides,
    warning: MQTTBroker.cleartextWarning,
    make: { settings, context throws(SettingsError) in try MQTTSink(settings, context) })

  /// The name in reports and in the status.
  package nonisolated let name: String
  private let context: PluginContext
  private let broker: MQTTBroker
  private let settings: MQTTBoardSettings
  private let outbox: MQTTOutbox.Options?
  private var state: MQTTBoardState
  private nonisolated let currentWorker = Mutex<MQTTWorker<MQTTTrack>?>(nil)
  /// The number of positions since the last one that was kept.
  private var unkeptCount = 0
  /// The number of dropped positions that are not logged yet, and the time of the last log line.
  private var dropped: (count: Int, loggedAt: MonotonicTime?) = (0, nil)
  /// The minimum time between two log lines about dropped positions.
  private static let dropLogSeconds = 3600.0

  /// Creates a sink without connecting to the broker.
  ///
  /// Throws `SettingsError` if the settings are invalid.
  package init(_ settings: SettingsTable, _ context: PluginContext) throws(SettingsError) {
    name = context.name ?? Self.plugin.name
    self.context = context
    broker = try MQTTBroker(settings)
    var board = try MQTTBoardSettings(settings)
    board.version = context.version
    self.settings = board
    let limit = try settings.value(of: Self.limitBytes)
    let days = try settings.value(of: Self.keepDays)
    outbox = try settings.value(of: Self.outbox).map {
      MQTTOutbox.Options(path: $0, limitBytes: limit, keepDays: days)
    }
    state = MQTTBoardState(self.settings)
  }

  private nonisolated var worker: MQTTWorker<MQTTTrack>? {
    get { currentWorker.withLock { $0 } }
    set { currentWorker.withLock { $0 = newValue } }
  }

  /// The state of the delivery to the broker.
  package nonisolated var delivery: SinkDelivery { worker?.delivery ?? SinkDelivery() }

  /// Opens the outbox and starts to connect.
  package func start() async throws {
    if let warning = broker.cleartextWarning {
      context.logger.warning("\(name): \(broker.description): \(warning)")
    }
    let topics = settings.topics
    var connection = MQTTWorkerSettings(
      broker: broker, clientID: broker.clientID ?? topics.clientID(sink: name),
      availability: topics.availability, subscriptions: settings.birthTopic.map { [$0] } ?? [],
      received: { _, payload in payload == Array("online".utf8) ? .republish : .none })
    connection.utcNow = context.utcNow
    var track: MQTTTrack?
    do throws(SQLiteError) {
      if let outbox {
        track = try MQTTTrack(
          outbox, topic: settings.ownTracks.map { "owntracks/\($0)" } ?? topics.track,
          isNumbered: settings.ownTracks == nil)
      }
    } catch {
      throw PluginError(error)
    }
    if let notice = track?.outbox.takeNotice() { warn(notice) }
    let worker = MQTTWorker(
      connection, name: name, outbox: track, logger: context.logger, now: context.now)
    for message in state.initialMessages { worker.publish(message) }
    worker.start()
    self.worker = worker
  }

  /// Publishes an event, or the part of it that the rate allows.
  package func receive(_ event: any PipelineEvent) async throws {
    let now = context.now()
    let utcNow = context.utcNow()
    let (messages, kept) = state.receive(event, now: now, utcNow: utcNow)
    for message in messages { worker?.publish(message) }
    if let location = (event as? LocationEvent)?.location,
      let warning = state.dateWarning(of: location, now: now)
    {
      context.logger.warning("\(name): \(warning)")
    }
    guard let kept, !keep(kept, utcNow), let name = settings.ownTracks else { return }
    worker?.publish(MQTTMessage(topic: "owntracks/\(name)", payload: kept.payload))
  }

  /// Returns whether a position is in the outbox.
  ///
  /// An outbox that cannot be written, for example on a full disk, does not end the sink.
  private func keep(_ position: MQTTBoardState.KeptPosition, _ utcNow: UTCTime?) -> Bool {
    guard outbox != nil, let worker else { return false }
    do {
      let kept = try worker.keep { track throws(SQLiteError) in
        let before = track.outbox.droppedCount
        try track.outbox.add(position.payload, time: position.time, now: utcNow)
        return (count: track.outbox.droppedCount - before, notice: track.outbox.takeNotice())
      }
      if let notice = kept?.notice { warn(notice) }
      noteDropped(kept?.count ?? 0)
      if unkeptCount > 0 {
        context.logger.info(
          "\(name): keeping positions again; \(unkeptCount) were not kept")
        unkeptCount = 0
      }
      return true
    } catch {
      if unkeptCount == 0 { warn("\(error); publishing positions without keeping them") }
      unkeptCount += 1
      return false
    }
  }

  /// Logs a problem of the outbox, and shows it in the status.
  private func warn(_ problem: String) {
    context.logger.warning("\(name): \(problem)")
    PluginNotice.report(problem)
  }

  private func noteDropped(_ count: Int) {
    dropped.count += count
    let now = context.now()
    let isDue = dropped.loggedAt.map { now.seconds(since: $0) >= Self.dropLogSeconds } ?? true
    guard dropped.count > 0, isDue else { return }
    context.logger.warning(
      "\(name): the outbox is full or positions are too old; dropped \(dropped.count) of them")
    dropped = (0, now)
  }

  /// Publishes `offline` and disconnects.
  package func stop() async {
    await worker?.stop()
    worker = nil
  }
}
