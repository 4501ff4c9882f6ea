// SPDX-License-Identifier: Apache-2.0

internal import Logging
internal import SystemSupport

/// One log event as text without control characters.
///
/// Names from receivers, gpsd, providers and clients appear in the log. This type replaces control
/// characters by visible symbols, so that no caller has to escape them.
struct LogLine: Sendable {
  var message: String
  /// The metadata, sorted by key.
  var fields: [(key: String, value: String)]

  init(
    _ event: LogEvent, _ loggerMetadata: Logger.Metadata, _ provider: Logger.MetadataProvider?
  ) {
    var metadata = loggerMetadata
    metadata.merge(provider?.get() ?? [:]) { $1 }
    metadata.merge(event.metadata ?? [:]) { $1 }
    if let error = event.error { metadata["error"] = "\(error)" }
    message = TerminalText.visible("\(event.message)", keepingNewlines: true)
    fields = metadata.sorted { $0.key < $1.key }.map {
      (TerminalText.visible($0.key), TerminalText.visible("\($0.value)", keepingNewlines: true))
    }
  }

  /// The message followed by the fields, for example `receiver lost device=/dev/ttyACM0`.
  var text: String {
    fields.reduce(message) { $0 + " " + $1.key + "=" + Self.quoted($1.value) }
  }

  /// Returns the value, quoted if it is empty or contains white space or quotation marks.
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
