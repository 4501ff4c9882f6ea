// SPDX-License-Identifier: Apache-2.0

internal import MQTTClient

/// The lines of the log about a connection: one per change, not one per attempt.
struct MQTTLog: Equatable, Sendable {
  private let broker: String
  private var lastFailure: MQTTFailure?

  init(broker: String) { self.broker = broker }

  /// Returns the line about a failure; `nil` if the last line was about the same failure.
  mutating func line(_ failure: MQTTFailure) -> String? {
    guard failure != lastFailure else { return nil }
    lastFailure = failure
    let retry = failure.isRejection ? "; retrying every 5 minutes" : "; retrying"
    return "\(broker): \(failure.text)\(retry)"
  }

  /// Returns the line about a connection.
  mutating func connected() -> String {
    lastFailure = nil
    return "connected to \(broker)"
  }
}
