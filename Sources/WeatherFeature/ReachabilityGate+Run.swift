// SPDX-License-Identifier: Apache-2.0

public import LocationServices
public import PathMonitorClient
public import Pipeline
internal import Synchronization

/// Tells the sinks of the path that the gate goes by.
public struct PathEvent: PipelineEvent, Equatable {
  /// The path.
  public var path: NetworkPath

  /// Makes an event.
  ///
  /// - Parameter path: The path.
  public init(_ path: NetworkPath) { self.path = path }
}

/// Runs a ``ReachabilityGate`` over a path monitor.
public struct ReachabilityGateRunner: Gate {
  /// The name it is reported under.
  public var name: String { ReachabilityGate.name }
  private let monitor: PathMonitorClient
  private let delay: (@Sendable () -> Duration)?
  private let clock: any Clock<Duration>

  /// Makes a gate.
  ///
  /// - Parameters:
  ///   - monitor: Where paths come from.
  ///   - releaseDelay: How long a release waits, asked each time; `nil` for not at all.
  ///   - clock: What the delay is measured by.
  public init(
    monitor: PathMonitorClient, releaseDelay: (@Sendable () -> Duration)? = nil,
    clock: any Clock<Duration> = ContinuousClock()
  ) {
    self.monitor = monitor
    delay = releaseDelay
    self.clock = clock
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
    let gate = GateState(delaysRelease: delay != nil)
    let (delays, startDelay) = AsyncStream.makeStream(
      of: UInt64.self, bufferingPolicy: .bufferingNewest(1))
    let handle: @Sendable (ReachabilityGate.Event) -> Void = { event in
      // Actions are done under the lock, so that they keep the order of what caused them; each
      // only puts something into a mailbox.
      gate.value.withLock { gate in
        for action in gate.handle(event) {
          switch action {
          case .pass(let location): pass(location)
          case .report(let event): report(event)
          case .startDelay(let number): startDelay.yield(number)
          }
        }
      }
    }
    let (firstPath, gotPath) = AsyncStream.makeStream(of: Void.self)
    await withTaskGroup(of: Void.self) { group in
      group.addTask { [monitor] in
        for await path in monitor.networkPaths() {
          report(PathEvent(path))
          handle(.path(path))
          gotPath.finish()
        }
      }
      group.addTask { [delay, clock] in
        for await number in delays {
          guard (try? await clock.sleep(for: delay?() ?? .zero)) != nil else { return }
          handle(.delayOver(number))
        }
      }
      for await location in input { handle(.location(location)) }
      // A short log is over before the kernel has answered: its last location waits for that.
      group.addTask { [clock] in
        if (try? await clock.sleep(for: .seconds(2))) != nil { gotPath.finish() }
      }
      for await _ in firstPath {}
      group.cancelAll()
      // What is held now stays so, and is told with its last count.
      if let last = gate.value.withLock({ $0.heldCount > 1 ? $0.report : nil }) { report(last) }
    }
  }
}

/// The gate's value, shared by the tasks that feed it.
private final class GateState: Sendable {
  let value: Mutex<ReachabilityGate>
  init(delaysRelease: Bool) { value = Mutex(ReachabilityGate(delaysRelease: delaysRelease)) }
}
