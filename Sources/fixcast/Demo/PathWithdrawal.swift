// SPDX-License-Identifier: Apache-2.0

import PathMonitorClient
import Synchronization

extension PathMonitorClient {
  /// A monitor whose path a script withdraws for a while; before and after, it says what another
  /// says.
  static func withdrawing(
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
            merge.withdraw()
            guard (try? await clock.sleep(for: duration)) != nil else { return }
            merge.restore()
          }
        }
      }
      continuation.onTermination = { _ in task.cancel() }
      return stream
    }
  }
}

/// What is said now: the real path, or that it is withdrawn.
private final class Merge: Sendable {
  private struct State {
    var real: NetworkPath?
    var isWithdrawn = false
    var said: NetworkPath?
  }

  private let state = Mutex(State())
  private let continuation: AsyncStream<NetworkPath>.Continuation

  init(_ continuation: AsyncStream<NetworkPath>.Continuation) { self.continuation = continuation }

  func real(_ path: NetworkPath) { change { $0.real = path } }
  func withdraw() { change { $0.isWithdrawn = true } }
  func restore() { change { $0.isWithdrawn = false } }

  private func change(_ body: (inout State) -> Void) {
    state.withLock { state in
      body(&state)
      var path = state.real
      if state.isWithdrawn {
        path = NetworkPath(status: .unsatisfied, reason: .noDefaultRoute)
        path?.isScripted = true
      }
      guard let path, path != state.said else { return }
      state.said = path
      continuation.yield(path)
    }
  }
}
