// SPDX-License-Identifier: Apache-2.0

internal import LocationServices
public import PathMonitorClient
public import Pipeline
public import Positioning

/// Decides which locations may be looked up, by the network path: events in, actions out.
///
/// Passes while the path is satisfied. While it is not, or is not known yet, it keeps the newest
/// location only, counts, and says why. After a loss it releases that one, once, after a delay that
/// whoever runs it chooses, so that a fleet does not ask all at the same moment. Over a path that
/// costs, it may keep lookups apart.
public struct ReachabilityGate: Equatable, Sendable {
  /// What about a path is a reason to ask less often.
  public struct Cost: OptionSet, Hashable, Sendable {
    /// One bit each.
    public let rawValue: UInt8
    /// Bytes cost money.
    public static let expensive = Cost(rawValue: 1)
    /// Bytes are to be saved.
    public static let constrained = Cost(rawValue: 2)

    /// Makes a set out of its bits.
    ///
    /// - Parameter rawValue: One bit each.
    public init(rawValue: UInt8) { self.rawValue = rawValue }
  }

  /// What happens to it.
  public enum Event: Equatable, Sendable {
    /// A location wants to pass.
    case location(Location)
    /// The path has changed.
    case path(NetworkPath)
    /// The delay of that number is over.
    case delayOver(UInt64)
    /// The interval of that number is over.
    case intervalOver(UInt64)
    /// Whoever runs it begins, perhaps again: of what was under way nothing will come.
    case started
  }

  /// What is to be done.
  public enum Action: Equatable, Sendable {
    /// Let a location go on.
    case pass(Location)
    /// Tell that it began to hold, why else it holds now, or that it lets through again.
    case report(GateEvent)
    /// Send ``Event/delayOver(_:)`` with that number when the delay is over.
    case startDelay(UInt64)
    /// Send ``Event/intervalOver(_:)`` with that number after the interval that the cost asks for.
    case startInterval(UInt64, Cost)
  }

  private struct Interval: Equatable {
    var number: UInt64
    var cost: Cost
  }

  /// The name it is reported under.
  public static let name = "reachability"

  /// The newest location that is held.
  public private(set) var held: Location?
  /// How many locations it has held since it began to hold.
  public private(set) var heldCount = 0
  /// Why the path lets nothing through; `nil` while it does.
  private var obstacle: String? = "pathUnknown"
  /// Whether a path was lost and nothing has passed since.
  private var isReturning = false
  private var cost: Cost = []
  private var delay: UInt64?
  private var interval: Interval?
  private var lastNumber: UInt64 = 0
  private let delaysRelease: Bool
  private let spacing: Cost

  /// Makes a gate that holds until it knows a path.
  ///
  /// - Parameters:
  ///   - delaysRelease: Whether a release after a loss waits for ``Event/delayOver(_:)``.
  ///   - spacing: Over which paths a location waits for the interval after the one before.
  public init(delaysRelease: Bool = false, spacing: Cost = []) {
    self.delaysRelease = delaysRelease
    self.spacing = spacing
  }

  /// Whether locations pass, and if not, why: the path's own reason, or `returnDelay`, `expensive`
  /// or `constrained`.
  public var verdict: Verdict {
    if let obstacle { return .holds(reason: obstacle) }
    if delay != nil { return .holds(reason: "returnDelay") }
    guard let interval else { return .passes }
    return .holds(reason: interval.cost.contains(.expensive) ? "expensive" : "constrained")
  }

  /// Takes an event.
  ///
  /// - Parameter event: What happened.
  /// - Returns: What is to be done, in order.
  public mutating func handle(_ event: Event) -> [Action] {
    let before = verdict
    switch event {
    case .location(let location):
      if before == .passes { return pass(location) }
      held = location
      heldCount += 1
      return heldCount == 1 ? [.report(report)] : []
    case .path(let path) where path.isSatisfied:
      return regain(path) + settle(since: before)
    case .path(let path):
      lose(path)
    case .delayOver(let number):
      if number == delay { delay = nil }
    case .intervalOver(let number):
      if number == interval?.number { interval = nil }
    case .started:
      return restart()
    }
    return settle(since: before)
  }

  private mutating func lose(_ path: NetworkPath) {
    obstacle = path.reason?.rawValue ?? path.status.rawValue
    isReturning = true
    delay = nil
  }

  private mutating func regain(_ path: NetworkPath) -> [Action] {
    cost = []
    if path.isExpensive { cost.insert(.expensive) }
    if path.isConstrained { cost.insert(.constrained) }
    cost.formIntersection(spacing)
    // Whoever has found a way that costs nothing need not wait any longer.
    // Nor is a cost waited for that the way there has no more.
    if let left = interval?.cost.intersection(cost) {
      if left.isEmpty { interval = nil } else { interval?.cost = left }
    }
    guard obstacle != nil else { return [] }
    obstacle = nil
    guard isReturning, delaysRelease else { return [] }
    let number = nextNumber()
    delay = number
    return [.startDelay(number)]
  }

  /// The path is unknown again; what is held, and that lookups are to be kept apart, is not.
  private mutating func restart() -> [Action] {
    obstacle = "pathUnknown"
    delay = nil
    guard let interval else { return [] }
    let number = nextNumber()
    self.interval?.number = number
    return [.startInterval(number, interval.cost)]
  }

  /// Releases what is held where nothing is in its way any more, or tells what else is.
  private mutating func settle(since before: Verdict) -> [Action] {
    guard let location = held else { return [] }
    // What is held stays held, whatever the reason turns into.
    guard verdict == .passes else { return verdict == before ? [] : [.report(report)] }
    let release = Action.report(report)
    held = nil
    heldCount = 0
    return [release] + pass(location)
  }

  private mutating func pass(_ location: Location) -> [Action] {
    isReturning = false
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
