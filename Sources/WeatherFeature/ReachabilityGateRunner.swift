// SPDX-License-Identifier: Apache-2.0

public import PathMonitorClient
public import Pipeline
internal import Positioning
internal import Synchronization

/// An event with the current network path.
public struct PathEvent: PipelineEvent, Equatable {
  /// The path.
  public var path: NetworkPath

  /// Creates an event.
  public init(_ path: NetworkPath) { self.path = path }
}

/// Runs a ``ReachabilityGate`` with the paths of a monitor.
///
/// Each location that passes carries a `RequiredPath`, so that a stage can cancel its lookup when
/// the path is lost. A run may be cancelled and started again. The held location is kept between
/// runs.
public struct ReachabilityGateRunner: Gate {
  /// The name of the gate in reports.
  public var name: String { ReachabilityGate.name }
  private let monitor: PathMonitorClient
  private let timing: ReachabilityGateTiming
  private let clock: any Clock<Duration>
  private let now: @Sendable () -> MonotonicTime
  private let gate: GateState

  /// Creates a runner with its own gate.
  ///
  /// - Parameters:
  ///   - monitor: The source of network paths.
  ///   - timing: The delays and intervals while the path is satisfied.
  ///   - clock: The clock for delays and intervals.
  public init(
    monitor: PathMonitorClient, timing: ReachabilityGateTiming = ReachabilityGateTiming(),
    clock: any Clock<Duration> = ContinuousClock()
  ) {
    self.monitor = monitor
    self.timing = timing
    self.clock = clock
    now = clock.readings()
    gate = GateState(
      GateRun(
        gate: ReachabilityGate(
          delaysRelease: timing.releaseDelay != nil, spacing: timing.spacing)))
  }

  /// Runs until the input ends or the task is cancelled.
  ///
  /// - Parameters:
  ///   - input: The locations.
  ///   - pass: Called with each location that passes.
  ///   - report: Called with a ``PathEvent`` for each path, and with each `GateEvent`.
  public func run(
    _ input: AsyncStream<EnrichedLocation>,
    pass: @escaping @Sendable (EnrichedLocation) -> Void,
    report: @escaping @Sendable (any PipelineEvent) -> Void
  ) async {
    let (delays, delay) = Timers.makeStream()
    let (intervals, interval) = Timers.makeStream()
    let handle: @Sendable (ReachabilityGate.Event, EnrichedLocation?) -> Void = {
      [gate, monitor, timing, now] event, value in
      // Perform the actions under the lock, to keep them in the order of the events. The actions do
      // not block, since each one only adds an element to a mailbox.
      gate.value.withLock { run in
        if let value { run.newest = value }
        // Report the path before the gate's reaction to this path.
        if case .path(let path) = event { report(PathEvent(path)) }
        for action in run.gate.handle(event) {
          switch action {
          case .pass:
            // The gate passes only the newest location.
            guard var value = run.newest else { continue }
            value.add(RequiredPath(monitor))
            pass(value)
          case .report(let event): report(event)
          case .startDelay(let number):
            delay.yield(Timers.Start(number: number, duration: timing.releaseDelay?() ?? .zero))
          case .startInterval(let number, let cost):
            let length = timing.interval(for: cost)
            let remaining =
              event == .started ? run.remaining(at: now()) : run.begin(length, at: now())
            interval.yield(Timers.Start(number: number, duration: min(remaining, length)))
          }
        }
      }
    }
    handle(.started, nil)
    let (firstPath, firstPathSignal) = AsyncStream.makeStream(of: Void.self)
    await withTaskGroup(of: Void.self) { group in
      group.addTask { [monitor] in
        for await path in monitor.networkPaths() {
          handle(.path(path), nil)
          firstPathSignal.finish()
        }
      }
      group.addTask { [clock] in
        await Timers.run(delays, clock: clock) { handle(.delayEnded($0), nil) }
      }
      group.addTask { [clock] in
        await Timers.run(intervals, clock: clock) { handle(.intervalEnded($0), nil) }
      }
      for await value in input {
        handle(.location(value.location), value)
      }
      // A short recording may end before the monitor reports the first path. Wait up to two seconds
      // for that path, so that the last location can pass.
      _ = group.addTaskUnlessCancelled { [clock] in
        if (try? await clock.sleep(for: .seconds(2))) != nil { firstPathSignal.finish() }
      }
      for await _ in firstPath {}
      group.cancelAll()
      // Report the final count of held locations.
      if let finalReport = gate.value.withLock({ $0.gate.heldCount > 1 ? $0.gate.report : nil }) {
        report(finalReport)
      }
    }
  }
}

/// The gate and the time at which the current interval ends.
///
/// After a restart, the gate waits only for the remaining time of the interval. Otherwise, frequent
/// restarts would prevent the interval from ending.
private struct GateRun {
  var gate: ReachabilityGate
  /// The newest location, with the enrichments of earlier stages.
  var newest: EnrichedLocation?
  private var intervalEnd: MonotonicTime?

  init(gate: ReachabilityGate) { self.gate = gate }

  /// Starts an interval and returns its length.
  mutating func begin(_ length: Duration, at now: MonotonicTime) -> Duration {
    intervalEnd = now.advanced(byNanoseconds: Int64(length / .nanoseconds(1)))
    return length
  }

  /// Returns the time until the current interval ends; zero if the interval has ended.
  func remaining(at now: MonotonicTime) -> Duration {
    max(.seconds(intervalEnd?.seconds(since: now) ?? 0), .zero)
  }
}

/// The state that the tasks of a run share.
private final class GateState: Sendable {
  let value: Mutex<GateRun>
  init(_ run: GateRun) { value = Mutex(run) }
}

/// A timer that can be restarted.
private enum Timers {
  struct Start: Sendable {
    var number: UInt64
    var duration: Duration
  }

  static func makeStream() -> (AsyncStream<Start>, AsyncStream<Start>.Continuation) {
    AsyncStream.makeStream(of: Start.self, bufferingPolicy: .bufferingNewest(1))
  }

  /// Runs the timer until the task is cancelled, and calls `didFire` each time the timer fires.
  static func run(
    _ starts: AsyncStream<Start>, clock: any Clock<Duration>,
    didFire: @escaping @Sendable (UInt64) -> Void
  ) async {
    var timer: Task<Void, Never>?
    for await start in starts {
      timer?.cancel()
      timer = Task {
        if (try? await clock.sleep(for: start.duration)) != nil { didFire(start.number) }
      }
    }
    timer?.cancel()
  }
}

/// The delays and intervals of a ``ReachabilityGateRunner`` while the path is satisfied.
public struct ReachabilityGateTiming: Sendable {
  /// Returns the delay of each release after a network loss; `nil` for no delay.
  public var releaseDelay: (@Sendable () -> Duration)?
  /// The interval between two lookups over an expensive path; `nil` for no interval.
  public var expensiveInterval: Duration?
  /// The interval between two lookups over a constrained path; `nil` for no interval.
  public var constrainedInterval: Duration?

  /// Creates a timing, by default without delays or intervals.
  public init(
    releaseDelay: (@Sendable () -> Duration)? = nil, expensiveInterval: Duration? = nil,
    constrainedInterval: Duration? = nil
  ) {
    self.releaseDelay = releaseDelay
    self.expensiveInterval = expensiveInterval
    self.constrainedInterval = constrainedInterval
  }

  /// Returns a timing with a random release delay, for many boards behind one network.
  ///
  /// - Parameters:
  ///   - longest: The maximum delay.
  ///   - random: Returns a random number from 0 to 1. Other values are clamped; NaN is treated as
  ///     0.
  /// - Returns: The timing.
  public static func jittered(
    upTo longest: Duration = .seconds(30),
    random: @escaping @Sendable () -> Double = { Double.random(in: 0...1) }
  ) -> ReachabilityGateTiming {
    ReachabilityGateTiming(releaseDelay: {
      // `fraction > 0` is false for NaN, so NaN causes no delay.
      let fraction = random()
      return max(longest, .zero) * (fraction > 0 ? min(fraction, 1) : 0)
    })
  }

  /// The costs for which an interval is configured.
  var spacing: ReachabilityGate.Cost {
    var spacing: ReachabilityGate.Cost = []
    if expensiveInterval != nil { spacing.insert(.expensive) }
    if constrainedInterval != nil { spacing.insert(.constrained) }
    return spacing
  }

  /// Returns the longer of the intervals for the given costs.
  func interval(for cost: ReachabilityGate.Cost) -> Duration {
    max(
      cost.contains(.expensive) ? expensiveInterval ?? .zero : .zero,
      cost.contains(.constrained) ? constrainedInterval ?? .zero : .zero)
  }
}
