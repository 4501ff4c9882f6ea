// SPDX-License-Identifier: Apache-2.0

internal import Streams
internal import Synchronization

/// A monitor of the network path as a value that a feature is given.
///
/// Nobody starts, cancels or keeps it: it runs while someone listens.
public struct PathMonitorClient: Sendable {
  /// Starts to listen.
  ///
  /// Each call is a subscription of its own and begins with the present path; equal paths do not
  /// repeat. The monitor starts with the first and stops after the last.
  public var networkPaths: @Sendable () -> AsyncStream<NetworkPath>

  /// Makes a client.
  public init(networkPaths: @escaping @Sendable () -> AsyncStream<NetworkPath>) {
    self.networkPaths = networkPaths
  }
}

extension PathMonitorClient {
  /// A monitor of the way to any of several places.
  ///
  /// Returns one whose path is satisfied while that to any place is; `nil` for none.
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

/// Monitors that play one situation each, for tests, previews and the demo.
///
/// As with the live one, all who listen to a value hear the same: what is played begins with the
/// first of them, ends with the last, and begins anew after that.
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
    scripted([(.zero, path)])
  }

  /// A path that changes every two seconds; the first value, after two, is unsatisfied.
  ///
  /// - Parameter clock: What the seconds are measured by.
  /// - Returns: The monitor.
  public static func flakey(clock: any Clock<Duration> = ContinuousClock()) -> PathMonitorClient {
    shared(SharedRun { tell in await flicker(on: clock, tell) })
  }

  /// Paths in an order and at times that a script says.
  ///
  /// - Parameters:
  ///   - steps: What to wait after the step before, and the path then; one that equals the path
  ///     before it is not told. The streams stay open after the last.
  ///   - clock: What the waits are measured by.
  /// - Returns: The monitor.
  public static func scripted(
    _ steps: [(after: Duration, path: NetworkPath)], clock: any Clock<Duration> = ContinuousClock()
  ) -> PathMonitorClient {
    // What is there from the beginning is told before anybody can ask.
    let first = steps.first?.after == .zero ? steps.first?.path : nil
    return shared(
      SharedRun(startingWith: first) { tell in
        await play(steps.dropFirst(first == nil ? 0 : 1), after: first, on: clock, tell)
      })
  }

  private static func shared(_ run: SharedRun<NetworkPath>) -> PathMonitorClient {
    PathMonitorClient { run.subscribe() }
  }

  private static func play(
    _ steps: ArraySlice<(after: Duration, path: NetworkPath)>, after first: NetworkPath?,
    on clock: some Clock<Duration>, _ tell: SharedRun<NetworkPath>.Send
  ) async {
    // By the time it is due and not by the time since the last, so that nothing adds up.
    var due = clock.now
    var last = first
    for (after, path) in steps {
      due = due.advanced(by: after)
      guard (try? await clock.sleep(until: due, tolerance: nil)) != nil else { return }
      if path != last { tell(path) }
      last = path
    }
  }

  private static func flicker(
    on clock: some Clock<Duration>, _ tell: SharedRun<NetworkPath>.Send
  ) async {
    var due = clock.now
    var isSatisfied = false
    while true {
      due = due.advanced(by: .seconds(2))
      guard (try? await clock.sleep(until: due, tolerance: nil)) != nil else { return }
      tell(
        isSatisfied
          ? NetworkPath(status: .satisfied)
          : NetworkPath(status: .unsatisfied, reason: .noDefaultRoute))
      isSatisfied.toggle()
    }
  }
}
