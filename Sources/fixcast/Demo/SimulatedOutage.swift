// SPDX-License-Identifier: Apache-2.0

import PathMonitorClient
import Synchronization

extension PathMonitorClient {
  /// Returns a monitor that reports another monitor's paths, with a simulated outage in between.
  static func simulatingOutage(
    _ monitor: PathMonitorClient, after delay: Duration, for duration: Duration,
    clock: any Clock<Duration> = ContinuousClock()
  ) -> PathMonitorClient {
    PathMonitorClient {
      let (stream, continuation) = AsyncStream.makeStream(
        of: NetworkPath.self, bufferingPolicy: .bufferingNewest(16))
      let merge = Merge(continuation)
      let task = Task {
        await withTaskGroup(of: Void.self) { group in
          group.addTask {
            for await path in monitor.networkPaths() { merge.real(path) }
          }
          group.addTask {
            guard (try? await clock.sleep(for: delay)) != nil else { return }
            merge.beginOutage()
            guard (try? await clock.sleep(for: duration)) != nil else { return }
            merge.endOutage()
          }
        }
      }
      continuation.onTermination = { _ in task.cancel() }
      return stream
    }
  }
}

/// Merges the real path with the simulated outage, and drops repeated values.
private final class Merge: Sendable {
  private struct State {
    var real: NetworkPath?
    var isOutage = false
    var reported: NetworkPath?
  }

  private let state = Mutex(State())
  private let continuation: AsyncStream<NetworkPath>.Continuation

  init(_ continuation: AsyncStream<NetworkPath>.Continuation) { self.continuation = continuation }

  func real(_ path: NetworkPath) { change { $0.real = path } }
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
