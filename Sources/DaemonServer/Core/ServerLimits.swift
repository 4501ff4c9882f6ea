// SPDX-License-Identifier: Apache-2.0

/// What the server lets clients have, so that none of them keeps the others from being served.
package struct ServerLimits: Hashable, Sendable {
  /// Connections in all.
  package var connections = 256
  /// How many of them are for root and the daemon's own user alone.
  package var reservedConnections = 32
  /// Connections in all of those who may know nothing, or have not said yet what they want; root
  /// and the daemon's own user are not counted.
  package var idleConnections = 64
  /// Connections of one user and system unit; root and the daemon's own user are counted in all
  /// alone.
  package var connectionsPerOwner = 32
  /// New connections of one user that are taken at once, before ``connectionsPerSecond`` holds; root
  /// and the daemon's own user are not counted.
  package var connectionBurst = 100
  /// New connections a second of one user.
  package var connectionsPerSecond = 50.0
  /// Requests a minute of one user and system unit that an operator is asked about; root and the
  /// daemon's own user are not counted, nor is what a rule or an answer has decided.
  package var operatorRequestsPerMinute = 20
  /// Requests of one user and system unit for the daemon's status at once, before
  /// ``statusRequestsPerSecond`` holds; root and the daemon's own user are not counted.
  package var statusBurst = 60
  /// Requests a second of one user and system unit for the daemon's status.
  package var statusRequestsPerSecond = 2.0
  /// The head of a request, in bytes.
  package var headBytes = 16_384
  /// The body of a request, in bytes.
  package var bodyBytes = 65_536
  /// How long a request may take to come, in seconds.
  package var requestSeconds = 5.0
  /// How long a client may read nothing while something waits for it, in seconds.
  package var stuckSeconds = 30.0
  /// After how long without anything to tell a stream carries a sign of life, in seconds, at least 1.
  package var heartbeatSeconds = 15
  /// Objects that wait for a client that reads slowly.
  package var waitingObjects = 32
  /// The same in bytes.
  package var waitingBytes = 65_536
  /// What the kernel keeps for a client that reads slowly, in bytes.
  package var socketBytes = 32_768
  /// How old a position may be that answers at once a request for one, in seconds.
  package var freshSeconds = 10.0
  /// How many that are refused at once may finish what they are sending, and are hung up on at once
  /// beyond: whoever is still sending would not read why.
  package var lingeringRefusals = 64
  /// How long they may take for it, in seconds.
  package var lingerSeconds = 1.0

  package init() {}
}
