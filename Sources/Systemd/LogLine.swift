// SPDX-License-Identifier: Apache-2.0

internal import Logging
internal import TerminalText

/// What there is to be logged, as text in which nothing acts on a terminal.
///
/// Receivers, gpsd, providers and clients name things in the log: their control characters become
/// pictures here, so that no call site has to escape. Line ends stay; the handlers treat those.
struct LogLine: Sendable {
  var level: Logger.Level
  var message: String
  /// Metadata in the order of its keys.
  var fields: [(key: String, value: String)]
  var file: String
  var lineNumber: UInt
  var function: String

  init(
    _ event: LogEvent, _ own: Logger.Metadata, _ provider: Logger.MetadataProvider?
  ) {
    var metadata = own
    metadata.merge(provider?.get() ?? [:]) { $1 }
    metadata.merge(event.metadata ?? [:]) { $1 }
    if let error = event.error { metadata["error"] = "\(error)" }
    level = event.level
    message = TerminalText.visible("\(event.message)", keepingNewlines: true)
    fields = metadata.sorted { $0.key < $1.key }.map {
      (TerminalText.visible($0.key), TerminalText.visible("\($0.value)", keepingNewlines: true))
    }
    file = event.file
    lineNumber = event.line
    function = event.function
  }

  /// The message, with what else is known behind it: `receiver lost device=/dev/ttyACM0`.
  var text: String {
    fields.reduce(message) { $0 + " " + $1.key + "=" + Self.quoted($1.value) }
  }

  /// A value that a reader can tell from the next one.
  private static func quoted(_ value: String) -> String {
    guard value.isEmpty || value.contains(where: { $0.isWhitespace || $0 == "\"" }) else {
      return value
    }
    var text = "\""
    for character in value {
      switch character {
      case "\"": text += "\\\""
      case "\\": text += "\\\\"
      case _ where character.isNewline: text += "\\n"
      default: text.append(character)
      }
    }
    return text + "\""
  }
}

extension Logger.Level {
  /// The priority of syslog(3), 0 to 7.
  var syslogPriority: Int {
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
