// SPDX-License-Identifier: Apache-2.0

/// Monitors that play one situation each, for tests, previews and the demo.
extension PathMonitorClient {
  /// A path that is there and stays.
  public static var satisfied: PathMonitorClient { constant(NetworkPath(status: .satisfied)) }

  /// A path that is not there and does not come.
  public static var unsatisfied: PathMonitorClient {
    constant(NetworkPath(status: .unsatisfied, reason: .noDefaultRoute))
  }

  /// One path that never changes.
  ///
  /// - Parameter path: The path.
  /// - Returns: A monitor whose streams stay open after it.
  public static func constant(_ path: NetworkPath) -> PathMonitorClient {
    PathMonitorClient { scripted([(.zero, path)], clock: ContinuousClock()).networkPaths() }
  }

  /// A path that changes every two seconds; the first value, after two, is unsatisfied.
  ///
  /// - Parameter clock: What the seconds are measured by.
  /// - Returns: The monitor.
  public static func flakey(clock: any Clock<Duration> = ContinuousClock()) -> PathMonitorClient {
    PathMonitorClient {
      play { continuation in
        var isSatisfied = false
        while (try? await clock.sleep(for: .seconds(2))) != nil {
          continuation.yield(
            isSatisfied
              ? NetworkPath(status: .satisfied)
              : NetworkPath(status: .unsatisfied, reason: .noDefaultRoute))
          isSatisfied.toggle()
        }
      }
    }
  }

  /// Paths in an order and at times that a script says, from each subscription on.
  ///
  /// - Parameters:
  ///   - steps: What to wait after the step before, and the path then. The streams stay open
  ///     after the last.
  ///   - clock: What the waits are measured by.
  /// - Returns: The monitor.
  public static func scripted(
    _ steps: [(after: Duration, path: NetworkPath)], clock: any Clock<Duration> = ContinuousClock()
  ) -> PathMonitorClient {
    PathMonitorClient {
      play(immediately: steps.first.flatMap { $0.after == .zero ? $0.path : nil }) { continuation in
        for (after, path) in steps.first?.after == .zero ? steps.dropFirst() : steps[...] {
          guard (try? await clock.sleep(for: after)) != nil else { return }
          continuation.yield(path)
        }
      }
    }
  }

  /// Runs a script for one listener, until it stops to listen.
  private static func play(
    immediately first: NetworkPath? = nil,
    _ script: @escaping @Sendable (AsyncStream<NetworkPath>.Continuation) async -> Void
  ) -> AsyncStream<NetworkPath> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: NetworkPath.self, bufferingPolicy: .bufferingNewest(16))
    if let first { continuation.yield(first) }
    let task = Task { await script(continuation) }
    continuation.onTermination = { _ in task.cancel() }
    return stream
  }
}
