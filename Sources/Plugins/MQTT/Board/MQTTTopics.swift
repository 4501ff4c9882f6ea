// SPDX-License-Identifier: Apache-2.0

/// The topics of a board: `fixcast/NAME/position` and others.
struct MQTTTopics: Equatable, Sendable {
  /// The name of the board, as a part of a topic.
  let name: String
  private let prefix: String

  /// Creates the topics of a board; characters that a topic or an id cannot contain become `_`.
  init(prefix: String, board: String) {
    self.prefix = prefix
    name = String(
      board.map { character in
        let isPlain = character.isASCII && (character.isLetter || character.isNumber)
        return isPlain || character == "-" || character == "_" ? character : "_"
      })
  }

  /// Returns the client id of a sink: several sinks of a board need different ones at one broker.
  func clientID(sink: String) -> String {
    sink == MQTTSink.plugin.name ? "fixcast-\(name)" : "fixcast-\(name)-\(sink)"
  }

  /// `online` or `offline`, retained; the broker publishes `offline` if the connection is lost.
  var availability: String { topic("availability") }
  /// The newest position, retained.
  var position: String { topic("position") }
  /// The positions in the order of time, with sequence numbers; not retained.
  var track: String { topic("track") }
  /// The satellites in view, retained.
  var sky: String { topic("sky") }
  /// The weather, retained.
  var weather: String { topic("weather") }
  /// The receiver, retained.
  var status: String { topic("status") }

  /// Whether MQTT allows a text: it has no control characters.
  static func isAllowed(_ text: String) -> Bool {
    text.unicodeScalars.allSatisfy {
      !(0..<0x20).contains($0.value) && !(0x7F..<0xA0).contains($0.value)
    }
  }

  private func topic(_ last: String) -> String { "\(prefix)/\(name)/\(last)" }
}
