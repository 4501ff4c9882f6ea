// SPDX-License-Identifier: Apache-2.0

internal import MQTTClient
internal import Positioning

/// Decides to which topics a connection subscribes.
///
/// A message that is too long ends the connection. If it is retained, the broker sends it again after
/// each subscription, so the next connections do not subscribe.
struct MQTTSubscriptions: Equatable, Sendable {
  /// The time without subscriptions after a message that is too long.
  static let pauseSeconds = 3600.0

  private let all: [String]
  private var pausedUntil: MonotonicTime?

  init(_ topics: [String]) { all = topics }

  /// Returns the topics for a new connection.
  func topics(at now: MonotonicTime) -> [String] {
    pausedUntil.map { now < $0 } ?? false ? [] : all
  }

  /// Notes the failure of a connection, and returns the one to report.
  mutating func failure(_ failure: MQTTFailure, now: MonotonicTime) -> MQTTFailure {
    guard failure.wasTooLong, !topics(at: now).isEmpty else { return failure }
    pausedUntil = now.advanced(bySeconds: Self.pauseSeconds)
    return MQTTFailure(
      failure.text + "; not subscribing to \(all.joined(separator: ", ")) for an hour")
  }
}
