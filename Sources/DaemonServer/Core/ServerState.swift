// SPDX-License-Identifier: Apache-2.0

internal import LocationServices
internal import Positioning

/// The state that streams, feeds and requests share.
struct ServerState: Sendable {
  var connections: ConnectionTable
  var clients: ClientTable
  /// The latest value of each kind, for streams that start later.
  var latest = ServerLatest()
}
