// SPDX-License-Identifier: Apache-2.0

internal import MQTTClient
internal import Positioning

/// Detects that another client uses the same client id.
///
/// A broker closes the connection of a client whose id another client uses for a new connection.
/// Two such clients that reconnect at once take over from each other without end. Since a bad network
/// ends connections, too, the retained message of the other client must have been received.
struct MQTTTakeover: Equatable, Sendable {
  /// The number of consecutive short connections that indicates a second client.
  static let maxLosses = 3
  /// The duration below which a connection is short.
  static let shortSeconds = 60.0

  private var connectedAt: MonotonicTime?
  private var losses = 0
  /// Whether a message of another client was received since the series began.
  private var hasForeignMessage = false

  mutating func connected(now: MonotonicTime) { connectedAt = now }

  /// Notes a message that only another client with the same id can have published.
  mutating func receivedForeignMessage() { hasForeignMessage = true }

  /// Notes a failure, and returns the one to report and to act on.
  ///
  /// A failed attempt ends the series, since a broker that restarts refuses connections for a while.
  mutating func failure(
    _ failure: MQTTFailure, clientID: String, now: MonotonicTime
  ) -> MQTTFailure {
    let isShort = connectedAt.map { now.seconds(since: $0) < Self.shortSeconds } ?? false
    connectedAt = nil
    losses = failure.wasClosed && isShort ? losses + 1 : 0
    if losses == 0 { hasForeignMessage = false }
    guard losses >= Self.maxLosses, hasForeignMessage else { return failure }
    (losses, hasForeignMessage) = (0, false)
    return MQTTFailure(
      "another client with the id \(clientID) takes over the connection; give each board an id of "
        + "its own", isRejection: true)
  }
}
