// SPDX-License-Identifier: Apache-2.0

import FixcastConfiguration
import FixcastTesting
import FleetProtocol
import Glibc
import Logging
import Pipeline
import Positioning
import Synchronization
import Testing
import WeatherClient

@testable import Plugins

/// A clock that runs, and that a test advances in addition.
private final class AdvancedClock: Sendable {
  private let offset = Mutex(0.0)
  func now() -> MonotonicTime { MonotonicTime.now().advanced(bySeconds: offset.withLock { $0 }) }
  func advance(bySeconds seconds: Double) { offset.withLock { $0 += seconds } }
}

/// A sink of the board `van`.
private struct FleetTestSink {
  static let topic = "fleet/v1/\(FleetBoardID("van")?.shard.description ?? "")/van"

  let sink: FleetSink
  let path: String
  let clock = AdvancedClock()
  let weather = EventRecorder<String>()
  let log = EventRecorder<String>()

  init(
    port: UInt16, folder: borrowing ScratchFolder, file: String = "fleet.sqlite",
    batchFixes: Int = 5, _ entries: [SettingEntry] = []
  ) throws {
    path = folder.path + "/" + file
    var context = PluginContext(
      name: "fleet", now: { [clock] in clock.now() }, utcNow: { .noon },
      logger: Logger(label: "t") { [log] _ in RecordingLogHandler(lines: log) })
    context.receiveWeather = { [weather] in weather.record("\($0.provider) \($1)") }
    let all = [
      SettingEntry("broker", .string("mqtt://127.0.0.1:\(port)")),
      SettingEntry("board", .string("van")), SettingEntry("interval_seconds", .integer(0)),
      SettingEntry("rest_interval_seconds", .integer(0)),
      SettingEntry("batch_fixes", .integer(Int64(batchFixes))),
      SettingEntry("start_delay_seconds", .integer(0)), SettingEntry("outbox", .string(path)),
    ]
    sink = try FleetSink(SettingsTable("sink[0]", entries: all + entries), context)
  }

  func send(_ numbers: ClosedRange<Int>) async throws {
    for number in numbers { try await sink.receive(LocationEvent(HeldFileKind.location(number))) }
  }

  /// The sequence numbers in the outbox.
  func kept() throws -> [Int64] {
    var outbox = try FleetOutboxTests.open(try FleetOutboxTests.options(path))
    return try FleetOutboxTests.sequences(&outbox)
  }

  /// Waits until the sink has removed the fixes that a consumer has confirmed.
  func waitForRemoval(through sequence: Int64) async {
    await log.wait { lines in
      lines.contains { $0.hasSuffix("removed confirmed messages through \(sequence)") }
    }
  }

  /// Returns the batches in the lines of a subscriber.
  static func batches(_ lines: [String]) -> [FleetBatch] {
    lines.compactMap { line in
      let parts = line.split(separator: " ")
      guard parts.count == 4, parts[0] == "\(topic)/fix" else { return nil }
      return try? FleetBatch(json: Array(parts[1].utf8))
    }
  }

  static func sequences(_ lines: [String]) -> [Int64] {
    batches(lines).flatMap(\.entries).map(\.sequence)
  }
}

@Suite(
  "Fleet sink and mosquitto", .timeLimit(.minutes(5)),
  .enabled(if: MQTTTestBroker.isInstalled, "needs mosquitto: make test-deps"))
struct FleetSinkTests {
  private static func acknowledge(
    _ batch: FleetBatch, through sequence: Int64, at broker: MQTTTestBroker
  ) async throws {
    let message = FleetAcknowledgement(epoch: batch.epoch, sequence: sequence)
    try await broker.publish(String(decoding: message.json, as: UTF8.self), to: "\(FleetTestSink.topic)/ack")
  }

  @Test func `every fix arrives, also those that a killed broker loses after it acknowledged them`() async throws {
    let folder = try ScratchFolder()
    let broker = try MQTTTestBroker(folder)
    let test = try FleetTestSink(port: broker.port, folder: folder)
    try await test.sink.start()
    let session = ["-c", "-i", "recorder", "-x", "3600"]
    let topic = "\(FleetTestSink.topic)/fix"
    try await broker.use { process in
      try await broker.subscribe(to: topic, options: session) { _ in
        _ = await process.lines.wait { $0.contains { $0.contains("recorder 1 \(topic)") } }
      }
      await test.log.wait { $0.contains { $0.contains("connected to") } }
      try await test.send(1...12)
      process.send(SIGKILL)
      _ = await process.wait()
    }
    try await test.send(13...26)
    try await broker.use { process in
      await test.log.wait { lines in lines.count { $0.contains("connected to") } >= 2 }
      try await test.send(27...33)
      process.send(SIGKILL)
      _ = await process.wait()
    }
    try await test.send(34...40)
    try await broker.use { _ in
      try await broker.subscribe(to: topic, options: session) { subscriber in
        _ = await subscriber.lines.wait { FleetTestSink.sequences($0).contains(40) }
        // No consumer acknowledged anything, so all fixes are published again.
        test.clock.advance(bySeconds: 601)
        try await test.send(41...45)
        let lines = await subscriber.lines.wait {
          Set(FleetTestSink.sequences($0)) == Set(1...45)
        }
        let batches = FleetTestSink.batches(lines)
        #expect(Set(batches.map(\.epoch)).count == 1)
        // A fix has the same number each time.
        for entry in batches.flatMap(\.entries) {
          #expect(entry.fix.longitudeE7 == entry.sequence * 10_000)
        }
      }
      await test.sink.stop()
    }
    // Nothing was acknowledged by a consumer, so everything is still kept.
    #expect(try test.kept() == Array(1...45))
  }

  @Test func `the fixes of an hour without a broker arrive once and in order, and are then removed`() async throws {
    let folder = try ScratchFolder()
    let broker = try MQTTTestBroker(folder)
    let test = try FleetTestSink(port: broker.port, folder: folder, batchFixes: 100)
    try await test.sink.start()
    for second in 1...3600 {
      try await test.send(second...second)
      test.clock.advance(bySeconds: 1)
    }
    try await broker.use { _ in
      try await broker.subscribe(to: "\(FleetTestSink.topic)/fix") { subscriber in
        // Ends the delay before the next attempt to connect.
        test.clock.advance(bySeconds: 600)
        try await test.send(3601...3700)
        let lines = await subscriber.lines.wait { FleetTestSink.sequences($0).count >= 3700 }
        #expect(FleetTestSink.sequences(lines) == Array(1...3700))
        let batch = try #require(FleetTestSink.batches(lines).first)
        try await Self.acknowledge(batch, through: 3700, at: broker)
        await test.waitForRemoval(through: 3700)
        #expect(try test.kept() == [])
        await test.sink.stop()
      }
    }
  }

  @Test func `a broker's acknowledgement alone keeps the fixes, and after ten minutes they come again`() async throws {
    let folder = try ScratchFolder()
    let broker = try MQTTTestBroker(folder)
    let test = try FleetTestSink(port: broker.port, folder: folder)
    try await broker.use { process in
      try await broker.subscribe(to: "fleet/#") { subscriber in
        await process.lines.wait { $0.contains { $0.hasSuffix(" 1 fleet/#") } }
        try await test.sink.start()
        try await test.send(1...10)
        let first = await subscriber.lines.wait { FleetTestSink.sequences($0).count == 10 }
        let batch = try #require(FleetTestSink.batches(first).first)
        await process.lines.wait { lines in
          lines.count { $0.contains("Sending PUBACK to van") } >= 3
        }
        // The consumer has committed the first batch only.
        try await Self.acknowledge(batch, through: 5, at: broker)
        await test.waitForRemoval(through: 5)
        #expect(try test.kept() == Array(6...10))
        test.clock.advance(bySeconds: 601)
        try await test.send(11...15)
        let lines = await subscriber.lines.wait { FleetTestSink.sequences($0).count >= 20 }
        #expect(FleetTestSink.sequences(lines).suffix(10).sorted() == Array(6...15))
        // The newest state came first, and without a sequence number.
        let newest = MQTTTestBroker.messages(lines).first
        #expect(newest?.hasPrefix("\(FleetTestSink.topic)/status {") == true, "\(lines)")
        try await Self.acknowledge(batch, through: 15, at: broker)
        await test.waitForRemoval(through: 15)
        #expect(try test.kept() == [])
        await test.sink.stop()
        await subscriber.lines.wait { lines in
          let last = MQTTTestBroker.messages(lines).last
          return last?.hasPrefix("\(FleetTestSink.topic)/status {\"e\":") == true
            && last?.contains("offline") == true
        }
      }
    }
  }

  @Test func `an acknowledgement of another epoch, or of fixes that were not sent, removes nothing`() async throws {
    let folder = try ScratchFolder()
    let broker = try MQTTTestBroker(folder)
    let test = try FleetTestSink(port: broker.port, folder: folder)
    try await broker.use { process in
      try await broker.subscribe(to: "\(FleetTestSink.topic)/fix") { subscriber in
        await process.lines.wait { $0.contains { $0.hasSuffix(" 1 \(FleetTestSink.topic)/fix") } }
        try await test.sink.start()
        try await test.send(1...5)
        let lines = await subscriber.lines.wait { FleetTestSink.sequences($0).count == 5 }
        var batch = try #require(FleetTestSink.batches(lines).first)
        try await Self.acknowledge(batch, through: 6, at: broker)
        batch.epoch = try #require(FleetEpoch(batch.epoch.number ^ 1))
        try await Self.acknowledge(batch, through: 5, at: broker)
        try await broker.publish("{", to: "\(FleetTestSink.topic)/ack")
        await process.lines.wait { lines in
          lines.count { $0.contains("Sending PUBLISH to van") && $0.contains("/ack") } >= 3
        }
        await test.sink.stop()
      }
    }
    #expect(try test.kept() == Array(1...5))
  }

  @Test func `after the outbox was removed, all later fixes arrive, with another epoch`() async throws {
    let folder = try ScratchFolder()
    let broker = try MQTTTestBroker(folder)
    let test = try FleetTestSink(port: broker.port, folder: folder)
    try await broker.use { process in
      try await broker.subscribe(to: "\(FleetTestSink.topic)/fix") { subscriber in
        await process.lines.wait { $0.contains { $0.hasSuffix(" 1 \(FleetTestSink.topic)/fix") } }
        try await test.sink.start()
        try await test.send(1...7)
        await subscriber.lines.wait { FleetTestSink.sequences($0).count == 5 }
        try folder.remove("fleet.sqlite")
        try await test.send(8...15)
        let lines = await subscriber.lines.wait { FleetTestSink.sequences($0).count >= 15 }
        let batches = FleetTestSink.batches(lines)
        #expect(batches.flatMap(\.entries).map(\.fix.longitudeE7) == (1...15).map { $0 * 10_000 })
        #expect(batches.map(\.epoch).count { $0 == batches.first?.epoch } == 1)
        #expect(Set(batches.map(\.epoch)).count == 2)
        await test.sink.stop()
      }
    }
    let warnings = test.log.events.filter { $0.contains(test.path) }
    #expect(warnings == ["warning: fleet: \(test.path) was moved or removed by another program; writing to a new file"])
  }

  @Test func `with ack = broker, the broker's acknowledgement removes the fixes`() async throws {
    let folder = try ScratchFolder()
    let broker = try MQTTTestBroker(folder)
    let test = try FleetTestSink(port: broker.port, folder: folder, [SettingEntry("ack", .string("broker"))])
    try await broker.use { process in
      try await test.sink.start()
      try await test.send(1...10)
      await process.lines.wait { lines in
        lines.count { $0.contains("Sending PUBACK to van") } >= 3
      }
      await test.sink.stop()
    }
    #expect(try test.kept() == [])
  }

  @Test func `with reduced accuracy, no message on the broker contains anything precise`() async throws {
    let folder = try ScratchFolder()
    let broker = try MQTTTestBroker(folder)
    let test = try FleetTestSink(port: broker.port, folder: folder, [SettingEntry("accuracy", .string("reduced"))])
    try await broker.use { process in
      try await broker.subscribe(to: "#") { subscriber in
        await process.lines.wait { $0.contains { $0.hasSuffix(" 1 #") } }
        try await test.sink.start()
        for number in 0..<4 {
          let longitude = 11.7654321 + Double(number) / 1e6
          let location = Location.at(48.1234567, longitude, time: .noon(plus: 37 + number)) {
            $0.speedMetersPerSecond = 12.34
            $0.receivedAt = test.clock.now()
          }
          try await test.sink.receive(LocationEvent(location))
          test.clock.advance(bySeconds: 901)
        }
        await test.log.wait { $0.contains { $0.contains("connected to") } }
        // Four locations complete no batch; the end of the sink stores them.
        await test.sink.stop()
        let again = try FleetTestSink(port: broker.port, folder: folder, [SettingEntry("accuracy", .string("reduced"))])
        try await again.sink.start()
        let lines = await subscriber.lines.wait { FleetTestSink.sequences($0).count >= 4 }
        await again.sink.stop()
        #expect(FleetTestSink.batches(lines).allSatisfy { $0.isReduced && $0.boot == nil })
        for secret in ["481234", "117654", "1234", "1795262437"] {
          #expect(!lines.contains { $0.contains(secret) }, "\(secret): \(lines)")
        }
      }
    }
  }

  @Test func `two boards with one id stop taking over from each other, and say so`() async throws {
    let folder = try ScratchFolder()
    let broker = try MQTTTestBroker(folder)
    try await broker.use { process in
      let first = try FleetTestSink(port: broker.port, folder: folder, file: "1.sqlite")
      let second = try FleetTestSink(port: broker.port, folder: folder, file: "2.sqlite")
      try await first.sink.start()
      await first.log.wait { $0.contains { $0.contains("connected to") } }
      try await second.sink.start()
      let isDetected: @Sendable ([String]) -> Bool = { lines in
        lines.contains { $0.contains("another client with the id van takes over") }
      }
      await withTaskGroup(of: Void.self) { group in
        for test in [first, second] {
          group.addTask { _ = await test.log.wait(until: isDetected) }
        }
        await group.next()
        group.cancelAll()
      }
      #expect(isDetected(first.log.events) || isDetected(second.log.events))
      await first.sink.stop()
      await second.sink.stop()
    }
  }

  @Test func `a report of the weather reaches the board with its age, and damaged ones are ignored`() async throws {
    let folder = try ScratchFolder()
    let broker = try MQTTTestBroker(folder)
    let test = try FleetTestSink(port: broker.port, folder: folder, [SettingEntry("weather", .boolean(true))])
    try await broker.use { process in
      try await test.sink.start()
      await process.lines.wait {
        $0.contains { $0.contains("van 0 \(FleetTestSink.topic)/weather") }
      }
      let message = FleetWeatherMessage(Samples.report(at: .at(48.1, 11.7)), ageSeconds: 90)
      try await broker.publish(#"{"class":"WEATHER"}"#, to: "\(FleetTestSink.topic)/weather")
      try await broker.publish(String(decoding: message.json, as: UTF8.self), to: "\(FleetTestSink.topic)/weather")
      #expect(await test.weather.wait(for: 1) == ["openmeteo 90"])
      await test.sink.stop()
    }
  }
}
