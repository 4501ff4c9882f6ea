// SPDX-License-Identifier: Apache-2.0

internal import Logging
internal import Plugins
internal import Positioning
internal import Synchronization
internal import SystemSupport

/// The daemon's log on standard error.
///
/// Lines for the systemd journal start with a priority. Other lines start with time and level.
struct DaemonLog: Sendable {
  private let level = LevelBox()
  private let lost = LostLines()
  private let prefix: TextLogHandler.Prefix
  private let output: DescriptorOutput

  init(_ prefix: TextLogHandler.Prefix, descriptor: Int32 = 2) {
    self.prefix = prefix
    output = DescriptorOutput(descriptor: descriptor)
  }

  /// Sets the level of all loggers, existing and future.
  func setLevel(_ newLevel: Logger.Level) { level.value.withLock { $0 = newLevel } }

  /// The number of lines that could not be written.
  var lostCount: UInt64 { lost.count.withLock { $0 } }

  func logger(_ label: String) -> Logger {
    Logger(label: label) { label in LeveledHandler(handler: handler(label), level: level) }
  }

  /// Returns the time in gpsd's format, truncated to milliseconds.
  static func text(of time: UTCTime) -> String {
    var line = JSONLine(reservingCapacity: 40)
    line.time(
      "t",
      UTCTime(
        secondsSince1970: time.secondsSince1970,
        nanosecond: time.nanosecond / 1_000_000 * 1_000_000))
    return String(decoding: line.bytes.dropFirst(5).dropLast(2), as: UTF8.self)
  }

  private func handler(_ label: String) -> any LogHandler {
    TextLogHandler(
      label: label, prefix: prefix, time: { Self.text(of: SystemClock.utcNow()) },
      write: { [lost, output] line in
        do { try output.write(Array(line.utf8)) } catch {
          lost.count.withLock { $0 &+= 1 }
        }
      })
  }
}

private final class LevelBox: Sendable { let value = Mutex(Logger.Level.info) }

private final class LostLines: Sendable { let count = Mutex<UInt64>(0) }

/// A handler with a level that all loggers share.
private struct LeveledHandler: LogHandler {
  var handler: any LogHandler
  let level: LevelBox
  /// The level of this logger; `nil` to use the shared level.
  var ownLevel: Logger.Level?

  var logLevel: Logger.Level {
    get { ownLevel ?? level.value.withLock { $0 } }
    set { ownLevel = newValue }
  }
  var metadata: Logger.Metadata {
    get { handler.metadata }
    set { handler.metadata = newValue }
  }
  var metadataProvider: Logger.MetadataProvider? {
    get { handler.metadataProvider }
    set { handler.metadataProvider = newValue }
  }
  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { handler[metadataKey: key] }
    set { handler[metadataKey: key] = newValue }
  }

  func log(event: LogEvent) { handler.log(event: event) }
}
