// SPDX-License-Identifier: Apache-2.0

internal import Streams
internal import Synchronization

extension PathMonitorClient {
  /// A monitor of the way to any of several places.
  ///
  /// - Parameter monitors: Those of the places, the preferred first.
  /// - Returns: One whose path is satisfied while that to any place is; `nil` for none.
  package static func any(of monitors: [PathMonitorClient]) -> PathMonitorClient? {
    guard monitors.count > 1 else { return monitors.first }
    let run = SharedRun<NetworkPath> { tell in
      let combination = Combination(count: monitors.count)
      await withTaskGroup(of: Void.self) { group in
        for (index, monitor) in monitors.enumerated() {
          group.addTask {
            for await path in monitor.networkPaths() {
              combination.handle(path, ofPlace: index, tell)
            }
          }
        }
      }
    }
    return PathMonitorClient { run.subscribe() }
  }
}

private final class Combination: Sendable {
  private let path: Mutex<CombinedPath>

  init(count: Int) { path = Mutex(CombinedPath(count: count)) }

  /// Told under the lock, so that what is told last is what is true.
  func handle(
    _ path: NetworkPath, ofPlace index: Int, _ tell: SharedRun<NetworkPath>.Send
  ) {
    self.path.withLock { combined in
      if let path = combined.handle(path, ofPlace: index) { tell(path) }
    }
  }
}
