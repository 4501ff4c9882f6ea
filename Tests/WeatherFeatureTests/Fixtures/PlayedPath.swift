// SPDX-License-Identifier: Apache-2.0

import PathMonitorClient
import Streams

/// A path monitor that says what the test says, and nothing before.
final class PlayedPath: Sendable {
  private let paths: Broadcast<NetworkPath>

  init(listenersChanged: @escaping @Sendable (Int) -> Void = { _ in }) {
    paths = Broadcast(bufferSize: 64, replaysNewest: true, listenersChanged: listenersChanged)
  }

  var client: PathMonitorClient { PathMonitorClient { self.paths.subscribe() } }

  func send(_ path: NetworkPath) { paths.send(path) }

  func send(_ status: NetworkPath.Status) { send(NetworkPath(status: status)) }
}
