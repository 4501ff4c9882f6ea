// SPDX-License-Identifier: Apache-2.0

import PathMonitorClient
import Synchronization

extension PathMonitorClient {
  /// Returns a monitor that reports another monitor's paths, and no path during a simulated outage.
  static func simulatingOutage(
    _ monitor: PathMonitorClient, after delay: Duration, for duration: Duration,
    clock: any Clock<Duration> = ContinuousClock()
  ) -> PathMonitorClient {
    PathMonitorClient {
      let (stream, continuation) = AsyncStream.makeStream(
        of: NetworkPath.self, bufferingPolicy: .bufferingNewest(16))
      let merger = OutageMerger(continuation)
      let task = Task {
        await withTaskGroup(of: Void.self) { group in
          group.addTask {
            for await path in monitor.networkPaths() { merger.setRealPath(path) }
          }
          group.addTask {
            guard (try? await clock.sleep(for: delay)) != nil else { return }
            merger.beginOutage()
            guard (try? await clock.sleep(for: duration)) != nil else { return }
            merger.endOutage()
          }
        }
      }
      continuation.onTermination = { _ in task.cancel() }
      return stream
    }
  }
}

/// Merges the real path with the simulated outage, and drops repeated values.
private final class OutageMerger: Sendable {
  private struct State {
    var real: NetworkPath?
    var isOutage = false
    var reported: NetworkPath?
  }

  private let state = Mutex(State())
  private let continuation: AsyncStream<NetworkPath>.Continuation

  init(_ continuation: AsyncStream<NetworkPath>.Continuation) { self.continuation = continuation }

  func setRealPath(_ path: NetworkPath) { change { $0.real = path } }
  func beginOutage() { change { $0.isOutage = true } }
  func endOutage() { change { $0.isOutage = false } }

  private func change(_ body: (inout State) -> Void) {
    state.withLock { state in
      body(&state)
      var path = state.real
      if state.isOutage {
        path = NetworkPath(status: .unsatisfied, reason: .noDefaultRoute)
        path?.isScripted = true
      }
      guard let path, path != state.reported else { return }
      state.reported = path
      continuation.yield(path)
    }
  }
}
