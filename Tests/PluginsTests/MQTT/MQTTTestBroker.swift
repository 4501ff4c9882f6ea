// SPDX-License-Identifier: Apache-2.0

import FixcastConfiguration
import FixcastTesting
import Glibc
import Logging
import Pipeline
import Positioning

@testable import Plugins

/// A mosquitto on a loopback port, with its subscribers and sinks.
final class MQTTTestBroker: Sendable {
  static let path = "/usr/sbin/mosquitto"
  static let isInstalled = access(path, X_OK) == 0

  let port: UInt16
  private let reserved: ReservedPort
  private let folder: String
  private let settings: String

  /// Writes the configuration of a broker whose listener has additional settings.
  init(_ folder: borrowing ScratchFolder, listener: String = "", anonymous: Bool = true, log: String = "all") throws {
    reserved = try ReservedPort()
    port = reserved.number
    self.folder = folder.path
    settings = """
      user root
      allow_anonymous \(anonymous)
      persistence true
      persistence_location \(folder.path)/
      autosave_interval 1
      autosave_on_changes true
      max_queued_messages 0
      log_type \(log)
      listener \(port) 127.0.0.1
      \(listener)

      """
    try folder.write("mosquitto.conf", settings)
  }

  /// Runs the broker while the body runs.
  func use<Value>(
    isolation: isolated (any Actor)? = #isolation, _ body: (ChildProcess) async throws -> Value
  ) async throws -> Value {
    try await ChildProcess.use(path: Self.path, arguments: ["-c", folder + "/mosquitto.conf"]) {
      broker in
      await broker.lines.wait { lines in lines.contains { $0.hasSuffix(" running") } }
      return try await body(broker)
    }
  }

  /// Runs `mosquitto_sub`, which prints `TOPIC PAYLOAD QOS RETAINED` for each message, and runs the
  /// body when the broker has accepted the subscription.
  func subscribe<Value>(
    to topic: String = "#", options: [String] = [],
    isolation: isolated (any Actor)? = #isolation,
    _ body: (ChildProcess) async throws -> Value
  ) async throws -> Value {
    // Without `stdbuf`, "Subscribed" is not written to a pipe before a message arrives.
    let arguments =
      ["-oL", "mosquitto_sub", "-d", "-h", "127.0.0.1", "-p", "\(port)", "-q", "1", "-t", topic]
      + ["-F", "%t %p %q %r"] + options
    return try await ChildProcess.use(path: "/usr/bin/stdbuf", arguments: arguments) {
      await $0.lines.wait { lines in lines.contains { $0.hasPrefix("Subscribed (mid: ") } }
      return try await body($0)
    }
  }

  /// Returns the messages among the lines of a subscriber.
  static func messages(_ lines: [String]) -> [String] {
    lines.filter { !$0.hasPrefix("Client ") && !$0.hasPrefix("Subscribed ") }
  }

  /// Publishes a message with `mosquitto_pub`.
  func publish(_ payload: String, to topic: String) async throws {
    _ = try await ChildProcess.run(
      path: "/usr/bin/mosquitto_pub",
      arguments: ["-h", "127.0.0.1", "-p", "\(port)", "-t", topic, "-m", payload])
  }
}

/// A sink for a broker, with its log.
struct MQTTTestSink {
  let sink: MQTTSink
  let log: EventRecorder<String>
  let clock: ManualClock

  /// Creates a sink of a board named `van`.
  init(
    port: UInt16, scheme: String = "mqtt://127.0.0.1", _ entries: [SettingEntry] = [],
    now: @escaping @Sendable () -> MonotonicTime = MonotonicTime.now
  ) throws {
    let (log, clock) = (EventRecorder<String>(), ManualClock())
    let context = PluginContext(
      name: "mqtt", now: now, utcNow: { .noon },
      logger: Logger(label: "t") { _ in RecordingLogHandler(lines: log) })
    let all = [
      SettingEntry("broker", .string("\(scheme):\(port)")), SettingEntry("board", .string("van")),
      SettingEntry("interval_seconds", .integer(0)),
      SettingEntry("distance_meters", .integer(0)),
    ]
    sink = try MQTTSink(SettingsTable("sink[0]", entries: all + entries), context)
    (self.log, self.clock) = (log, clock)
  }

  /// Sends a location whose longitude in degrees is a thousandth of a number.
  func send(_ number: Int) async throws {
    try await sink.receive(LocationEvent(HeldFileKind.location(number)))
  }

  /// Waits until the sink has connected a number of times.
  func waitForConnection(_ count: Int = 1) async {
    await log.wait { lines in lines.count { $0.contains("connected to") } >= count }
  }
}

/// Records the lines of a log.
struct RecordingLogHandler: LogHandler {
  let lines: EventRecorder<String>
  var metadata: Logger.Metadata = [:]
  var logLevel = Logger.Level.trace

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) { lines.record("\(event.level): \(event.message)") }
}
