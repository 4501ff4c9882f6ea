// SPDX-License-Identifier: Apache-2.0

internal import LocationServices
public import PathMonitorClient
public import Pipeline
public import Positioning
internal import Synchronization

/// Tells the sinks of the path that the gate goes by.
public struct PathEvent: PipelineEvent, Equatable {
  /// The path.
  public var path: NetworkPath

  /// Makes an event.
  public init(_ path: NetworkPath) { self.path = path }
}

/// Runs a ``ReachabilityGate`` over a path monitor.
///
/// A held location outlives a run: after a cancelled run another may follow.
public struct ReachabilityGateRunner: Gate {
  /// The name it is reported under.
  public var name: String { ReachabilityGate.name }
  private let monitor: PathMonitorClient
  private let timing: ReachabilityGateTiming
  private let clock: any Clock<Duration>
  private let now: @Sendable () -> MonotonicTime
  private let gate: GateState

  /// Makes a gate.
  ///
  /// - Parameters:
  ///   - monitor: Where paths come from.
  ///   - timing: How long a location waits although there is a way for it.
  ///   - clock: What that is measured by.
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
  ///   - input: Locations.
  ///   - pass: Takes each location that may go on.
  ///   - report: Takes paths and what the gate does.
  public func run(
    _ input: AsyncStream<Location>, pass: @escaping @Sendable (Location) -> Void,
    report: @escaping @Sendable (any PipelineEvent) -> Void
  ) async {
    let (delays, delay) = Timers.makeStream()
    let (intervals, interval) = Timers.makeStream()
    let handle: @Sendable (ReachabilityGate.Event) -> Void = { [gate, timing, now] event in
      // Actions are done under the lock, so that they keep the order of what caused them; each
      // only puts something into a mailbox.
      gate.value.withLock { run in
        // First, so that whoever has heard of a path hears nothing by an older one.
        if case .path(let path) = event { report(PathEvent(path)) }
        for action in run.gate.handle(event) {
          switch action {
          case .pass(let location): pass(location)
          case .report(let event): report(event)
          case .startDelay(let number):
            delay.yield(Timers.Start(number: number, duration: timing.releaseDelay?() ?? .zero))
          case .startInterval(let number, let cost):
            let length = timing.interval(for: cost)
            let rest = event == .started ? run.rest(at: now()) : run.begin(length, at: now())
            interval.yield(Timers.Start(number: number, duration: min(rest, length)))
          }
        }
      }
    }
    handle(.started)
    let (firstPath, gotPath) = AsyncStream.makeStream(of: Void.self)
    await withTaskGroup(of: Void.self) { group in
      group.addTask { [monitor] in
        for await path in monitor.networkPaths() {
          handle(.path(path))
          gotPath.finish()
        }
      }
      group.addTask { [clock] in
        await Timers.run(delays, clock: clock) { handle(.delayOver($0)) }
      }
      group.addTask { [clock] in
        await Timers.run(intervals, clock: clock) { handle(.intervalOver($0)) }
      }
      for await location in input { handle(.location(location)) }
      // A short log is over before the kernel has answered: its last location waits for that.
      _ = group.addTaskUnlessCancelled { [clock] in
        if (try? await clock.sleep(for: .seconds(2))) != nil { gotPath.finish() }
      }
      for await _ in firstPath {}
      group.cancelAll()
      // What is held now stays so, and is told with its last count.
      if let last = gate.value.withLock({ $0.gate.heldCount > 1 ? $0.gate.report : nil }) {
        report(last)
      }
    }
  }
}

/// A gate, and when its interval is over: a restart waits for the rest of it only.
///
/// Begun anew each time, it would never end where restarts come more often.
private struct GateRun {
  var gate: ReachabilityGate
  private var intervalEnd: MonotonicTime?

  init(gate: ReachabilityGate) { self.gate = gate }

  /// Begins an interval; how long to wait for its end.
  mutating func begin(_ length: Duration, at now: MonotonicTime) -> Duration {
    intervalEnd = now.advanced(byNanoseconds: Int64(length / .nanoseconds(1)))
    return length
  }

  /// The time until the present interval ends.
  func rest(at now: MonotonicTime) -> Duration {
    max(.seconds(intervalEnd?.seconds(since: now) ?? 0), .zero)
  }
}

/// The gate's value, shared by the tasks that feed it.
private final class GateState: Sendable {
  let value: Mutex<GateRun>
  init(_ run: GateRun) { value = Mutex(run) }
}

/// Waits of which only the newest counts.
private enum Timers {
  struct Start: Sendable {
    var number: UInt64
    var duration: Duration
  }

  static func makeStream() -> (AsyncStream<Start>, AsyncStream<Start>.Continuation) {
    AsyncStream.makeStream(of: Start.self, bufferingPolicy: .bufferingNewest(1))
  }

  /// Runs each until it is over or the next begins, until cancelled.
  static func run(
    _ starts: AsyncStream<Start>, clock: any Clock<Duration>,
    over: @escaping @Sendable (UInt64) -> Void
  ) async {
    var timer: Task<Void, Never>?
    for await start in starts {
      timer?.cancel()
      timer = Task {
        if (try? await clock.sleep(for: start.duration)) != nil { over(start.number) }
      }
    }
    timer?.cancel()
  }
}

/// The delays of a ``ReachabilityGateRunner`` while the path is satisfied.
public struct ReachabilityGateTiming: Sendable {
  /// The delay of a release after a loss, asked each time; `nil` for none.
  public var releaseDelay: (@Sendable () -> Duration)?
  /// The interval between two lookups over an expensive path; `nil` for none.
  public var expensiveInterval: Duration?
  /// The interval between two lookups over a constrained path; `nil` for none.
  public var constrainedInterval: Duration?

  /// Makes a timing; by default nothing waits.
  ///
  /// - Parameters:
  ///   - releaseDelay: How long a release after a loss waits.
  ///   - expensiveInterval: What lies between two lookups over a path whose bytes cost money.
  ///   - constrainedInterval: What lies between two over a path whose bytes are to be saved.
  public init(
    releaseDelay: (@Sendable () -> Duration)? = nil, expensiveInterval: Duration? = nil,
    constrainedInterval: Duration? = nil
  ) {
    self.releaseDelay = releaseDelay
    self.expensiveInterval = expensiveInterval
    self.constrainedInterval = constrainedInterval
  }

  /// A board among many behind one network: each waits for a time of its own after a loss.
  ///
  /// - Parameters:
  ///   - longest: The longest of these times.
  ///   - random: A number from 0 to 1, a new one each time; anything else counts as the nearer.
  /// - Returns: The timing.
  public static func jittered(
    upTo longest: Duration = .seconds(30),
    random: @escaping @Sendable () -> Double = { Double.random(in: 0...1) }
  ) -> ReachabilityGateTiming {
    ReachabilityGateTiming(releaseDelay: {
      // NaN counts as less than any number.
      let share = random()
      return max(longest, .zero) * (share > 0 ? min(share, 1) : 0)
    })
  }

  /// Over which paths lookups are kept apart.
  var spacing: ReachabilityGate.Cost {
    var spacing: ReachabilityGate.Cost = []
    if expensiveInterval != nil { spacing.insert(.expensive) }
    if constrainedInterval != nil { spacing.insert(.constrained) }
    return spacing
  }

  /// The longest interval that a cost asks for.
  func interval(for cost: ReachabilityGate.Cost) -> Duration {
    max(
      cost.contains(.expensive) ? expensiveInterval ?? .zero : .zero,
      cost.contains(.constrained) ? constrainedInterval ?? .zero : .zero)
  }
}
