// SPDX-License-Identifier: Apache-2.0

internal import Streams
internal import Synchronization

/// A monitor of the network path.
///
/// A monitor needs no start or stop: it runs while there is at least one subscription.
public struct PathMonitorClient: Sendable {
  /// Subscribes to the path.
  ///
  /// Each call returns an independent stream, which begins with the current path and has no two
  /// equal paths in a row. The monitor starts with the first subscription and stops when the
  /// last subscription ends.
  public var networkPaths: @Sendable () -> AsyncStream<NetworkPath>

  /// Makes a client.
  public init(networkPaths: @escaping @Sendable () -> AsyncStream<NetworkPath>) {
    self.networkPaths = networkPaths
  }
}

extension PathMonitorClient {
  /// Combines monitors of several destinations.
  ///
  /// The returned monitor's path is satisfied while the path of at least one monitor is satisfied.
  /// Returns `nil` if `monitors` is empty.
  package static func any(of monitors: [PathMonitorClient]) -> PathMonitorClient? {
    guard monitors.count > 1 else { return monitors.first }
    let run = SharedRun<NetworkPath> { publish in
      let combination = Combination(count: monitors.count)
      await withTaskGroup(of: Void.self) { group in
        for (index, monitor) in monitors.enumerated() {
          group.addTask {
            for await path in monitor.networkPaths() {
              combination.handle(path, ofDestination: index, publish)
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

  /// Publishes while holding the lock, so that the last published path is current.
  func handle(
    _ path: NetworkPath, ofDestination index: Int, _ publish: SharedRun<NetworkPath>.Send
  ) {
    self.path.withLock { combined in
      if let path = combined.handle(path, ofDestination: index) { publish(path) }
    }
  }
}

/// Simulated monitors for tests, previews and the demo.
///
/// As with the live monitor, all subscriptions of one value receive the same paths. The simulation
/// starts with the first subscription and stops when the last subscription ends. A later
/// subscription restarts the simulation from the beginning.
extension PathMonitorClient {
  /// A path that is always satisfied.
  public static var satisfied: PathMonitorClient { constant(NetworkPath(status: .satisfied)) }

  /// A path that is never satisfied.
  public static var unsatisfied: PathMonitorClient {
    constant(NetworkPath(status: .unsatisfied, reason: .noDefaultRoute))
  }

  /// Returns a monitor of a path that never changes; the monitor's streams stay open.
  public static func constant(_ path: NetworkPath) -> PathMonitorClient {
    scripted([(.zero, path)])
  }

  /// Returns a monitor of a path that changes every two seconds.
  ///
  /// The first path is published after two seconds and is unsatisfied.
  public static func flakey(clock: any Clock<Duration> = ContinuousClock()) -> PathMonitorClient {
    shared(SharedRun { publish in await flicker(on: clock, publish) })
  }

  /// Returns a monitor that publishes paths from a script; streams stay open after the last path.
  ///
  /// - Parameters:
  ///   - steps: The paths, each with its delay after the previous step. A path that equals the
  ///     previous path is not published.
  ///   - clock: The clock for the delays.
  /// - Returns: The monitor.
  public static func scripted(
    _ steps: [(after: Duration, path: NetworkPath)], clock: any Clock<Duration> = ContinuousClock()
  ) -> PathMonitorClient {
    // A path without a delay is available at once to every subscription.
    let first = steps.first?.after == .zero ? steps.first?.path : nil
    return shared(
      SharedRun(startingWith: first) { publish in
        await play(steps.dropFirst(first == nil ? 0 : 1), after: first, on: clock, publish)
      })
  }

  private static func shared(_ run: SharedRun<NetworkPath>) -> PathMonitorClient {
    PathMonitorClient { run.subscribe() }
  }

  private static func play(
    _ steps: ArraySlice<(after: Duration, path: NetworkPath)>, after first: NetworkPath?,
    on clock: some Clock<Duration>, _ publish: SharedRun<NetworkPath>.Send
  ) async {
    // The deadlines are absolute, so that delays do not accumulate.
    var due = clock.now
    var last = first
    for (after, path) in steps {
      due = due.advanced(by: after)
      guard (try? await clock.sleep(until: due, tolerance: nil)) != nil else { return }
      if path != last { publish(path) }
      last = path
    }
  }

  private static func flicker(
    on clock: some Clock<Duration>, _ publish: SharedRun<NetworkPath>.Send
  ) async {
    var due = clock.now
    var isSatisfied = false
    while true {
      due = due.advanced(by: .seconds(2))
      guard (try? await clock.sleep(until: due, tolerance: nil)) != nil else { return }
      publish(
        isSatisfied
          ? NetworkPath(status: .satisfied)
          : NetworkPath(status: .unsatisfied, reason: .noDefaultRoute))
      isSatisfied.toggle()
    }
  }
}
