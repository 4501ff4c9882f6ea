// SPDX-License-Identifier: Apache-2.0

import PathMonitorClient
import Streams

/// A mock path monitor that sends the paths of the test.
final class MockPathMonitor: Sendable {
  private let paths: Broadcast<NetworkPath>

  init(listenersChanged: @escaping @Sendable (Int) -> Void = { _ in }) {
    paths = Broadcast(bufferSize: 64, replaysNewest: true, listenersChanged: listenersChanged)
  }

  var client: PathMonitorClient { PathMonitorClient { self.paths.subscribe() } }

  func send(_ path: NetworkPath) { paths.send(path) }

  func send(_ status: NetworkPath.Status) { send(NetworkPath(status: status)) }
}
