// SPDX-License-Identifier: Apache-2.0

public import PathMonitorClient
public import Pipeline
public import Positioning

/// The state machine of a gate that holds locations while the network path is not satisfied.
///
/// While the path is unsatisfied or unknown, the gate holds the newest location, counts the held
/// locations, and reports the reason. When the network returns, the gate releases the newest
/// location after a configurable delay, so that the boards of a fleet do not send requests at the
/// same time. The newest location is released even if it passed before the loss, since its lookup
/// may have been cancelled. On an expensive or constrained path, the gate can enforce an interval
/// between locations.
public struct ReachabilityGate: Equatable, Sendable {
  /// The properties of a path that may require fewer lookups.
  public struct Cost: OptionSet, Hashable, Sendable {
    /// The bits of the set.
    public let rawValue: UInt8
    /// The cost of the path depends on the amount of data.
    public static let expensive = Cost(rawValue: 1)
    /// Data usage on the path should be reduced.
    public static let constrained = Cost(rawValue: 2)

    /// Creates a set from its bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }
  }

  /// The input of the state machine.
  public enum Event: Equatable, Sendable {
    /// A location has arrived.
    case location(Location)
    /// The path has changed.
    case path(NetworkPath)
    /// The delay with this number has ended.
    case delayEnded(UInt64)
    /// The interval with this number has ended.
    case intervalEnded(UInt64)
    /// A run starts. Timers of previous runs no longer fire.
    case started
  }

  /// The output of the state machine.
  public enum Action: Equatable, Sendable {
    /// Deliver a location.
    case pass(Location)
    /// Report that the gate began to hold locations, changed the reason, or passes locations again.
    case report(GateEvent)
    /// Start a delay and send ``Event/delayEnded(_:)`` with this number when it ends.
    case startDelay(UInt64)
    /// Start the interval for the cost and send ``Event/intervalEnded(_:)`` with this number when
    /// the interval ends.
    case startInterval(UInt64, Cost)
  }

  private struct Interval: Equatable {
    var number: UInt64
    var cost: Cost
  }

  /// The name of the gate in reports.
  public static let name = "reachability"

  /// The newest of the held locations.
  public private(set) var held: Location?
  /// The number of locations held since the gate began to hold.
  public private(set) var heldCount = 0
  /// The reason why the path is not usable, or `nil` if the path is satisfied.
  private var obstacle: String? = "pathUnknown"
  /// Whether the path was lost and no location has passed since.
  private var isAwaitingRelease = false
  /// The last location that passed.
  private var lastPassed: Location?
  private var cost: Cost = []
  private var delay: UInt64?
  private var interval: Interval?
  private var lastNumber: UInt64 = 0
  private let delaysRelease: Bool
  private let spacing: Cost

  /// Creates a gate that holds locations until the first satisfied path.
  ///
  /// - Parameters:
  ///   - delaysRelease: Whether a release after a network loss waits for ``Event/delayEnded(_:)``.
  ///   - spacing: The costs for which an interval between locations is enforced.
  public init(delaysRelease: Bool = false, spacing: Cost = []) {
    self.delaysRelease = delaysRelease
    self.spacing = spacing
  }

  /// The current verdict.
  ///
  /// The reason for holding locations comes from the path, or is `returnDelay`, `expensive` or
  /// `constrained`.
  public var verdict: Verdict {
    if let obstacle { return .holds(reason: obstacle) }
    if delay != nil { return .holds(reason: "returnDelay") }
    guard let interval else { return .passes }
    return .holds(reason: interval.cost.contains(.expensive) ? "expensive" : "constrained")
  }

  /// Handles an event and returns the actions to perform, in order.
  public mutating func handle(_ event: Event) -> [Action] {
    let before = verdict
    switch event {
    case .location(let location):
      if before == .passes { return pass(location) }
      held = location
      heldCount += 1
      return heldCount == 1 ? [.report(report)] : []
    case .path(let path) where path.isSatisfied:
      return handleSatisfied(path) + releaseOrReport(since: before)
    case .path(let path):
      handleUnsatisfied(path)
    case .delayEnded(let number):
      if number == delay { delay = nil }
    case .intervalEnded(let number):
      if number == interval?.number { interval = nil }
    case .started:
      return restart()
    }
    return releaseOrReport(since: before)
  }

  private mutating func handleUnsatisfied(_ path: NetworkPath) {
    obstacle = path.reason?.rawValue ?? path.status.rawValue
    isAwaitingRelease = true
    delay = nil
  }

  private mutating func handleSatisfied(_ path: NetworkPath) -> [Action] {
    cost = []
    if path.isExpensive { cost.insert(.expensive) }
    if path.isConstrained { cost.insert(.constrained) }
    cost.formIntersection(spacing)
    // Keep the interval's costs that the new path shares. Without shared costs, end the interval.
    if let sharedCost = interval?.cost.intersection(cost) {
      if sharedCost.isEmpty { interval = nil } else { interval?.cost = sharedCost }
    }
    guard obstacle != nil else { return [] }
    obstacle = nil
    guard isAwaitingRelease, delaysRelease else { return [] }
    let number = nextNumber()
    delay = number
    return [.startDelay(number)]
  }

  /// Resets the path to unknown.
  ///
  /// Keeps the held location and restarts a running interval.
  private mutating func restart() -> [Action] {
    obstacle = "pathUnknown"
    delay = nil
    guard let interval else { return [] }
    let number = nextNumber()
    self.interval?.number = number
    return [.startInterval(number, interval.cost)]
  }

  /// Releases the held location if the gate passes now, or reports a changed reason.
  private mutating func releaseOrReport(since before: Verdict) -> [Action] {
    guard let location = held else {
      guard isAwaitingRelease, verdict == .passes, let lastPassed else { return [] }
      return pass(lastPassed)
    }
    guard verdict == .passes else { return verdict == before ? [] : [.report(report)] }
    let releaseReport = Action.report(report)
    held = nil
    heldCount = 0
    return [releaseReport] + pass(location)
  }

  private mutating func pass(_ location: Location) -> [Action] {
    isAwaitingRelease = false
    lastPassed = location
    guard !cost.isEmpty else { return [.pass(location)] }
    let number = nextNumber()
    interval = Interval(number: number, cost: cost)
    return [.pass(location), .startInterval(number, cost)]
  }

  private mutating func nextNumber() -> UInt64 {
    lastNumber &+= 1
    return lastNumber
  }

  var report: GateEvent {
    GateEvent(gate: Self.name, verdict: verdict, heldCount: heldCount)
  }
}
