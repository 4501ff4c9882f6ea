// SPDX-License-Identifier: Apache-2.0

public import Logging

/// Logs a line of text for people: time, level, logger, message, metadata.
public struct TextLogHandler: LogHandler {
  /// How a line begins.
  public enum Prefix: Equatable, Sendable {
    /// The time in UTC and the level by name, for a terminal or a file.
    case timeAndLevel
    /// The priority as systemd reads it from standard error, which notes the time itself.
    ///
    /// Source: sd-daemon(3).
    case priority
  }

  /// The least that is logged.
  public var logLevel: Logger.Level = .info
  /// What goes with every line.
  public var metadata: Logger.Metadata = [:]
  /// What goes with every line, asked for anew each time.
  public var metadataProvider: Logger.MetadataProvider?

  private let label: String
  private let prefix: Prefix
  private let time: @Sendable () -> String
  private let write: @Sendable (String) -> Void

  /// Makes a handler.
  ///
  /// - Parameters:
  ///   - label: The logger.
  ///   - prefix: How a line begins.
  ///   - time: The present time, as it is written.
  ///   - write: Takes a line with its end; what cannot be written is the writer's to count.
  public init(
    label: String, prefix: Prefix, time: @escaping @Sendable () -> String,
    write: @escaping @Sendable (String) -> Void
  ) {
    self.label = label
    self.prefix = prefix
    self.time = time
    self.write = write
  }

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
    // One event is one line, whatever the message holds.
    let text = String(line.text.map { $0.isNewline ? " " : $0 })
    switch prefix {
    case .timeAndLevel: write("\(time()) \(line.level) \(label): \(text)\n")
    case .priority: write("<\(line.level.syslogPriority)>\(label): \(text)\n")
    }
  }
}
