// SPDX-License-Identifier: Apache-2.0

internal import PathMonitorClient
internal import Pipeline

/// The network path that the lookups for a location need.
///
/// A ``ReachabilityGateRunner`` adds this enrichment to each location that passes.
struct RequiredPath: Enrichment {
  private let monitor: PathMonitorClient

  init(_ monitor: PathMonitorClient) { self.monitor = monitor }

  /// Runs an operation while the path is satisfied.
  ///
  /// Returns `nil` if the path is not satisfied. If the path is lost during the operation, the
  /// operation is cancelled.
  func whileSatisfied<Value: Sendable>(
    _ operation: @escaping @Sendable () async -> Value
  ) async -> Value? {
    let paths = monitor.networkPaths()
    var first = paths.makeAsyncIterator()
    guard await first.next()?.isSatisfied != false else { return nil }
    return await withTaskGroup(of: Value?.self) { group in
      group.addTask { await operation() }
      group.addTask {
        for await path in paths where !path.isSatisfied { return nil }
        // The monitor has ended, so no loss will be reported: wait for the end of the operation.
        for await _ in AsyncStream<Never>.makeStream().stream {}
        return nil
      }
      defer { group.cancelAll() }
      return await group.next() ?? nil
    }
  }
}
