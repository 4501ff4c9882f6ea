// SPDX-License-Identifier: Apache-2.0

/// Limits that prevent a client from blocking other clients.
///
/// Root and the daemon's own user are exempt from the limits per user and per owner. An owner is a
/// user together with a system unit.
package struct ServerLimits: Hashable, Sendable {
  /// Maximum number of connections.
  package var connections = 256
  /// Number of these connections that are reserved for root and the daemon's own user.
  package var reservedConnections = 32
  /// Maximum number of connections without access to the location or without a complete request.
  ///
  /// Excludes connections of root and the daemon's own user.
  package var idleConnections = 64
  /// Maximum number of connections per owner.
  package var connectionsPerOwner = 32
  /// Maximum number of connections of browsers over TCP.
  package var webConnections = 64
  /// Number of these connections that are reserved for browsers with a session.
  package var reservedWebConnections = 24
  /// Number of new connections that a user may open in a burst, above ``connectionsPerSecond``.
  package var connectionBurst = 100
  /// Maximum rate of new connections per user.
  package var connectionsPerSecond = 50.0
  /// Maximum rate per owner of requests that need an operator's decision.
  package var operatorRequestsPerMinute = 20
  /// Number of status requests that an owner may send in a burst, above
  /// ``statusRequestsPerSecond``.
  package var statusBurst = 60
  /// Maximum rate of status requests per owner.
  package var statusRequestsPerSecond = 2.0
  /// Maximum size of a request's head, in bytes.
  package var headBytes = 16_384
  /// Maximum size of a request's body, in bytes.
  package var bodyBytes = 65_536
  /// Time limit for receiving a request, in seconds.
  package var requestSeconds = 5.0
  /// Time limit for a write that the client does not read, in seconds.
  package var stuckSeconds = 30.0
  /// Time limit for a write that the client of a feed does not read, in seconds.
  package var stuckFeedSeconds = 180.0
  /// Maximum number of clients of each protocol of feeds.
  package var feedsPerProtocol = 32
  /// Number of these clients that are reserved for root, the daemon's own user, and clients to which a
  /// rule gives access.
  package var reservedFeeds = 8
  /// Number of the reserved clients that are reserved for root and the daemon's own user.
  package var reservedRootFeeds = 4
  /// Maximum number of clients of each protocol of feeds per owner.
  package var feedsPerOwner = 8
  /// The time after which a heartbeat is sent to an idle stream, in seconds; at least 1.
  package var heartbeatSeconds = 15
  /// Maximum number of objects queued for a slow client.
  package var maxQueuedObjects = 32
  /// Maximum size of the objects queued for a slow client, in bytes.
  package var maxQueuedBytes = 65_536
  /// Size of the kernel's send buffer per connection, in bytes.
  package var socketBytes = 32_768
  /// Maximum age, in seconds, of a position that is returned at once for a location request.
  package var freshSeconds = 10.0
  /// Maximum number of refused connections that stay open until the client has sent its request.
  ///
  /// Further refused connections are closed at once. A client that is still sending may then be
  /// unable to read the reason.
  package var lingeringRefusals = 64
  /// Maximum time that a refused connection stays open, in seconds.
  package var lingerSeconds = 1.0

  package init() {}
}
