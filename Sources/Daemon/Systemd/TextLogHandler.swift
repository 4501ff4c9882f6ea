// SPDX-License-Identifier: Apache-2.0

internal import Glibc
package import Logging

/// Logs one line of text per event: time, level, logger, message, metadata.
package struct TextLogHandler: LogHandler {
  package enum Prefix: Equatable, Sendable {
    /// The time in UTC and the level by name, for a terminal or a file.
    case timeAndLevel
    /// The syslog(3) priority as `<N>`, which the journal parses. The journal adds the time.
    ///
    /// Source: sd-daemon(3).
    case priority
  }

  package var logLevel: Logger.Level = .info
  package var metadata: Logger.Metadata = [:]
  package var metadataProvider: Logger.MetadataProvider?

  private let label: String
  private let prefix: Prefix
  private let time: @Sendable () -> String
  private let write: @Sendable (String) -> Void

  /// Creates a handler.
  ///
  /// `write` receives each line, including its line end, and must handle write errors.
  package init(
    label: String, prefix: Prefix, time: @escaping @Sendable () -> String,
    write: @escaping @Sendable (String) -> Void
  ) {
    self.label = label
    self.prefix = prefix
    self.time = time
    self.write = write
  }

  package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  package func log(event: LogEvent) {
    let line = LogLine(event, metadata, metadataProvider)
    // A line end in a message would start another log entry.
    let text = String(line.text.map { $0.isNewline ? " " : $0 })
    switch prefix {
    case .timeAndLevel: write("\(time()) \(event.level) \(label): \(text)\n")
    case .priority: write("<\(event.level.syslogPriority)>\(label): \(text)\n")
    }
  }
}

extension TextLogHandler.Prefix {
  /// Chooses `priority` if standard error is the journal's stream.
  ///
  /// systemd sets `JOURNAL_STREAM` to the device and inode of the journal's stream. If standard
  /// error is redirected, its device and inode differ from these values.
  ///
  /// Source: systemd.exec(5).
  package init(
    environment: (String) -> String? = ServiceNotifier.environment,
    standardError: (device: UInt64, inode: UInt64)? = Self.standardErrorFile()
  ) {
    let parts = environment("JOURNAL_STREAM")?.split(separator: ":").compactMap { UInt64($0) }
    if let parts, parts.count == 2, let standardError,
      (parts[0], parts[1]) == (standardError.device, standardError.inode)
    {
      self = .priority
    } else {
      self = .timeAndLevel
    }
  }

  /// The device and inode of standard error; `nil` if standard error is closed.
  package static func standardErrorFile() -> (device: UInt64, inode: UInt64)? {
    var status = stat()
    guard fstat(STDERR_FILENO, &status) == 0 else { return nil }
    return (UInt64(status.st_dev), UInt64(status.st_ino))
  }
}

extension Logger.Level {
  fileprivate var syslogPriority: Int {
    switch self {
    case .critical: 2
    case .error: 3
    case .warning: 4
    case .notice: 5
    case .info: 6
    case .debug, .trace: 7
    }
  }
}
