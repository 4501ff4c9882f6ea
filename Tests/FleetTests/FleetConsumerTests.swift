// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import FleetProtocol
import Glibc
import Logging
import MQTTClient
import SystemSupport
import Testing
import WeatherClient
import WeatherClientLive

@testable import fixcast_fleet

/// A mosquitto on a loopback port.
final class FleetTestBroker: Sendable {
  static let path = "/usr/sbin/mosquitto"
  static let isInstalled = access(path, X_OK) == 0

  let reserved: ReservedPort
  let configuration: String

  init(_ folder: borrowing ScratchFolder, settings: String = "allow_anonymous true") throws {
    reserved = try ReservedPort()
    configuration = folder.path + "/mosquitto.conf"
    try folder.write(
      "mosquitto.conf",
      """
      user root
      persistence true
      persistence_location \(folder.path)/
      autosave_on_changes true
      autosave_interval 1
      listener \(reserved.number) 127.0.0.1
      \(settings)

      """)
  }

  var address: String { "mqtt://127.0.0.1:\(reserved.number)" }

  /// Runs the broker while the body runs.
  func use(
    isolation: isolated (any Actor)? = #isolation, _ body: (ChildProcess) async throws -> Void
  ) async throws {
    try await ChildProcess.use(path: Self.path, arguments: ["-c", configuration]) { broker in
      await broker.lines.wait { lines in lines.contains { $0.hasSuffix(" running") } }
      try await body(broker)
    }
  }

  /// Publishes a message with QoS 1.
  func publish(_ payload: [UInt8], to topic: FleetTopic, _ options: [String] = []) async throws {
    let (lines, code) = try await ChildProcess.run(
      path: "/usr/bin/mosquitto_pub",
      arguments: [
        "-p", "\(reserved.number)", "-q", "1", "-t", topic.description, "-m",
        String(decoding: payload, as: UTF8.self),
      ] + options)
    #expect(code == 0, "\(lines)")
  }

  /// Subscribes, and runs a body with the lines `TOPIC PAYLOAD`.
  func subscribe(
    to topic: String, _ options: [String] = [], isolation: isolated (any Actor)? = #isolation,
    _ body: (ChildProcess) async throws -> Void
  ) async throws {
    // Otherwise the standard output of a pipe is not flushed before a message arrives.
    let arguments =
      ["-oL", "mosquitto_sub", "-d", "-p", "\(reserved.number)", "-t", topic, "-F", "%t %p"]
      + options
    try await ChildProcess.use(path: "/usr/bin/stdbuf", arguments: arguments) { subscriber in
      await subscriber.lines.wait { lines in lines.contains { $0.contains("Subscribed (mid: ") } }
      try await body(subscriber)
    }
  }
}

/// Records the lines of a log.
private struct RecordingLogHandler: LogHandler {
  let lines: EventRecorder<String>
  var metadata: Logger.Metadata = [:]
  var logLevel = Logger.Level.trace

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) { lines.record("\(event.message)") }
}

@Suite(
  "Fleet consumer with mosquitto and PostgreSQL",
  .enabled(if: TestDatabase.isInstalled && FleetTestBroker.isInstalled))
struct FleetConsumerTests {
  private static let board = FleetBoardID("b1")

  /// A consumer of the program in this process.
  private struct Consumer {
    let consumer: FleetConsumer
    let log: EventRecorder<String>

    var metrics: FleetMetrics { consumer.metrics }

    /// Waits until the broker has accepted the subscriptions of all shards.
    func waitForSubscriptions() async {
      await log.wait { lines in
        Set(lines.filter { $0.contains(": connected to mqtt://") }).count >= 16
      }
      #expect(metrics.shards.count == 16)
    }
  }

  /// Runs a consumer while the body runs.
  private static func use(
    _ database: TestDatabase, _ broker: String,
    _ change: (inout FleetConsumer.Settings) -> Void = { _ in },
    _ body: (Consumer) async throws -> Void
  ) async throws {
    var settings = FleetConsumer.Settings(
      database: database.options,
      broker: BrokerSettings(addresses: [try #require(BrokerAddress(broker))]))
    change(&settings)
    let log = EventRecorder<String>()
    let consumer = FleetConsumer(
      settings, logger: Logger(label: "t") { _ in RecordingLogHandler(lines: log) })
    let task = Task {
      do throws(PostgresError) { try await consumer.run() } catch { Issue.record(error) }
    }
    defer { task.cancel() }
    try await body(Consumer(consumer: consumer, log: log))
    task.cancel()
    await task.value
  }

  /// Waits until a subscriber has received the consumer's acknowledgement through a fix.
  private static func waitForAck(
    _ topic: FleetTopic, through sequence: Int, _ subscriber: ChildProcess
  ) async {
    await subscriber.lines.wait { $0.contains(#"\#(topic) {"e":3,"s":\#(sequence)}"#) }
  }

  private static func migrate(_ database: TestDatabase) async throws {
    _ = try await FleetStore.connect(database.options).migrate()
  }

  /// Runs PostgreSQL with the tables, and mosquitto, while the body runs.
  private static func useServers(
    _ body: (TestDatabase, FleetTestBroker) async throws -> Void
  ) async throws {
    let folder = try ScratchFolder()
    let database = try await TestDatabase(folder)
    let broker = try FleetTestBroker(folder)
    try await database.use { _ in
      try await migrate(database)
      try await broker.use { _ in try await body(database, broker) }
    }
  }

  @Test(.timeLimit(.minutes(2)))
  func `a batch becomes rows and is acknowledged, and what was published without a consumer arrives`() async throws {
    let board = try #require(Self.board)
    let topic = FleetTopic(.fix, board, shard: board.shard)
    let ack = FleetTopic(.ack, board, shard: board.shard)
    try await Self.useServers { database, broker in
      try await broker.subscribe(to: ack.description) { subscriber in
        try await Self.use(database, broker.address) { consumer in
          await consumer.waitForSubscriptions()
          try await broker.publish(TestBatch().delivery(1...3).payload, to: topic)
          let lines = await subscriber.lines.wait { lines in
            lines.contains { $0.hasPrefix(ack.description) }
          }
          #expect(lines.last == #"\#(ack) {"e":3,"s":3}"#)
          #expect(try await database.query("SELECT count(*) FROM fleet.fix") == ["3"])
        }
        // The broker keeps messages for the persistent session.
        try await broker.publish(TestBatch().delivery(4...5).payload, to: topic)
        try await Self.use(database, broker.address) { consumer in
          await Self.waitForAck(ack, through: 5, subscriber)
          #expect(consumer.metrics.counters.insertedRows == 2)
          let rows = try await database.query("SELECT count(*) FROM fleet.fix")
          #expect(rows == ["5"])
          #expect(consumer.metrics.text.contains("\nfixcast_fleet_rows_total 2\n"))
        }
      }
    }
  }

  @Test(.timeLimit(.minutes(2)))
  func `the consumer serves again after a restart of PostgreSQL, without losing a batch`() async throws {
    let folder = try ScratchFolder()
    let database = try await TestDatabase(folder)
    let broker = try FleetTestBroker(folder)
    let board = try #require(Self.board)
    let topic = FleetTopic(.fix, board, shard: board.shard)
    let ack = FleetTopic(.ack, board, shard: board.shard)
    try await database.use { _ in try await Self.migrate(database) }
    try await broker.use { _ in
      try await broker.subscribe(to: ack.description) { subscriber in
        try await Self.use(database, broker.address) { consumer in
          // The consumer starts before the database.
          try await database.use { _ in
            await consumer.waitForSubscriptions()
            try await broker.publish(TestBatch().delivery(1...2).payload, to: topic)
            await Self.waitForAck(ack, through: 2, subscriber)
            #expect(consumer.metrics.counters.insertedRows == 2)
          }
          try await broker.publish(TestBatch().delivery(3...4).payload, to: topic)
          try await database.use { _ in
            await Self.waitForAck(ack, through: 4, subscriber)
            let rows = try await database.query("SELECT count(*) FROM fleet.fix")
            #expect(rows == ["4"])
          }
        }
      }
    }
  }

  @Test(.timeLimit(.minutes(2)))
  func `a fix that the database rejects does not stop the fixes after it`() async throws {
    let board = try #require(Self.board)
    let topic = FleetTopic(.fix, board, shard: board.shard)
    let ack = FleetTopic(.ack, board, shard: board.shard)
    try await Self.useServers { database, broker in
      _ = try await database.query("ALTER TABLE fleet.fix ADD CHECK (seq <> 4)")
      for range in [1...2, 3...4, 5...6] as [ClosedRange<Int64>] {
        // The session exists before the messages.
        if range.lowerBound == 1 {
          try await Self.use(database, broker.address) { consumer in
            await consumer.waitForSubscriptions()
          }
        }
        try await broker.publish(TestBatch().delivery(range).payload, to: topic)
      }
      try await broker.subscribe(to: ack.description) { subscriber in
        try await Self.use(database, broker.address) { consumer in
          // A slow consumer may also acknowledge the fixes before.
          await Self.waitForAck(ack, through: 6, subscriber)
          let counters = consumer.metrics.counters
          #expect(counters.rejected == 1 && counters.batches == 3)
        }
        #expect(
          try await database.query("SELECT seq FROM fleet.fix ORDER BY seq")
            == ["1", "2", "5", "6"])
      }
    }
  }

  @Test(.timeLimit(.minutes(2)))
  func `four boards in three cells cause three requests, and each receives its report`() async throws {
    let folder = try ScratchFolder()
    let database = try await TestDatabase(folder)
    let broker = try FleetTestBroker(folder)
    let provider = try ReservedPort()
    // Answers every request with 11 degrees.
    let script = TestScript.root + "/Tests/Soak/provider.py"
    try await database.use { _ in
      try await Self.migrate(database)
      _ = try await database.query(
        """
        INSERT INTO fleet.board (board, shard, last_seen, latitude, longitude)
        VALUES ('b1', 1, now(), 52.51, 13.41), ('b2', 2, now(), 52.49, 13.39),
          ('b3', 3, now(), 51, 12), ('b4', 4, now(), 50, 11),
          ('old', 3, now() - interval '2 hours', 40, 13)
        """)
      try await ChildProcess.use(
        path: "/usr/bin/env", arguments: ["python3", script, "127.0.0.1", "\(provider.number)"]
      ) { program in
        await program.lines.wait { $0.contains("weather server: listening") }
        try await broker.use { _ in
          try await broker.subscribe(to: "fleet/v1/+/+/weather") { subscriber in
            let openMeteo = OpenMeteo(.init(baseURL: "http://127.0.0.1:\(provider.number)"))
            let change: (inout FleetConsumer.Settings) -> Void = { settings in
              settings.weather = .init(provider: openMeteo, pollInterval: .milliseconds(50))
            }
            try await Self.use(database, broker.address, change) { consumer in
              let lines = await subscriber.lines.wait { lines in
                lines.count { $0.hasPrefix("fleet/v1/") } >= 4
              }.filter { $0.hasPrefix("fleet/v1/") }
              #expect(
                lines.map { $0.prefix { $0 != " " } }.sorted()
                  == (1...4).map { "fleet/v1/\($0)/b\($0)/weather" })
              let json = try #require(lines.first?.drop { $0 != " " }.dropFirst())
              let message = try FleetWeatherMessage<WeatherReport>(json: Array(json.utf8))
              #expect(message.report.now.temperatureDegreesCelsius == 11)
              #expect(json.contains(#""via":"fleet""#))
              #expect(consumer.metrics.counters.weatherRequests == 3)
              #expect(consumer.metrics.counters.weatherFailures == 0)
              #expect(
                try await database.query("SELECT latitude, longitude FROM fleet.weather ORDER BY 1")
                  == ["50|11", "51|12", "52.5|13.4"])
            }
          }
        }
      }
    }
  }

  @Test(.timeLimit(.minutes(1)))
  func `a consumer refuses tables that init has not created`() async throws {
    let folder = try ScratchFolder()
    let database = try await TestDatabase(folder)
    try await database.use { _ in
      let consumer = FleetConsumer(
        FleetConsumer.Settings(
          database: database.options,
          broker: BrokerSettings(addresses: [try #require(BrokerAddress("mqtt://127.0.0.1:1"))])),
        logger: Logger(label: "t") { _ in SwiftLogNoOpLogHandler() })
      await #expect(throws: PostgresError.tooOld(version: 0, needed: FleetSchema.migrations.count)) {
        try await consumer.run()
      }
    }
  }
}
