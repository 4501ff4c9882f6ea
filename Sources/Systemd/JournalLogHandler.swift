// SPDX-License-Identifier: Apache-2.0

public import Logging
internal import Synchronization

/// Logs to the journal, every piece of metadata as a field of its own.
///
/// A line that the journal does not take at once is counted and let go: a full journal must not hold
/// up a fix. The next line that gets through says how many went missing, as `FIXCAST_LOST`.
///
/// Source: systemd's "Native Journal Protocol", systemd.journal-fields(7).
public struct JournalLogHandler: LogHandler {
  /// Where the journal listens.
  public static let address = "/run/systemd/journal/socket"

  /// The least that is logged.
  public var logLevel: Logger.Level = .info
  /// What goes with every line.
  public var metadata: Logger.Metadata = [:]
  /// What goes with every line, asked for anew each time.
  public var metadataProvider: Logger.MetadataProvider?

  private let identifier: String
  private let label: String
  private let socket: UnixDatagramSocket
  private let lost: LostLines
  private let onLoss: @Sendable () -> Void

  /// Makes a handler.
  ///
  /// - Parameters:
  ///   - identifier: The program, as `journalctl -t` takes it.
  ///   - label: The logger.
  ///   - address: Where the journal listens.
  ///   - onLoss: Called for each line that the journal has not taken; returns at once.
  public init(
    identifier: String, label: String, address: String = Self.address,
    onLoss: @escaping @Sendable () -> Void = {}
  ) {
    self.onLoss = onLoss
    self.identifier = identifier
    self.label = label
    socket = UnixDatagramSocket(address: address)
    lost = LostLines()
  }

  /// How many lines the journal has not taken and nobody has been told of.
  public var lostCount: Int { lost.count.withLock { $0 } }

  /// Reads or sets a piece of metadata.
  ///
  /// - Parameter key: Its key.
  public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  /// Logs a line.
  ///
  /// - Parameter event: What there is to log.
  public func log(event: LogEvent) {
    let line = LogLine(event, metadata, metadataProvider)
    let before = lost.count.withLock { $0 }
    do {
      try socket.send(record(line, lost: before).bytes)
      lost.count.withLock { $0 -= min(before, $0) }
    } catch  where error.isTooLong {
      sendShort(line, before)
    } catch { lose() }
  }

  private func lose() {
    lost.count.withLock { $0 += 1 }
    onLoss()
  }

  /// More than a datagram takes: the message's beginning alone.
  private func sendShort(_ line: LogLine, _ before: Int) {
    var short = line
    short.message = String(line.message.prefix(2048)) + " (cut)"
    short.fields = []
    do {
      try socket.send(record(short, lost: before).bytes)
      lost.count.withLock { $0 -= min(before, $0) }
    } catch { lose() }
  }

  private func record(_ line: LogLine, lost: Int) -> JournalRecord {
    var record = JournalRecord()
    record.append("MESSAGE", line.text)
    record.append("PRIORITY", "\(line.level.syslogPriority)")
    record.append("SYSLOG_IDENTIFIER", identifier)
    record.append("FIXCAST_LOGGER", label)
    record.append("CODE_FILE", line.file)
    record.append("CODE_LINE", "\(line.lineNumber)")
    record.append("CODE_FUNC", line.function)
    for (key, value) in line.fields { record.append(JournalRecord.fieldName(key), value) }
    if lost > 0 { record.append("FIXCAST_LOST", "\(lost)") }
    return record
  }
}

/// Shared by the copies of a handler.
private final class LostLines: Sendable {
  let count = Mutex(0)
}
