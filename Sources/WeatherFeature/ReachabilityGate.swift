// SPDX-License-Identifier: Apache-2.0

public import LocationServices
public import PathMonitorClient
public import Pipeline

/// Decides which locations may be looked up, by the network path: events in, actions out.
///
/// Passes while the path is satisfied. While it is not, or is not known yet, it keeps the newest
/// location only, counts, and says why. On return it releases that one, once, after a delay that
/// whoever runs it chooses, so that a fleet does not ask all at the same moment.
public struct ReachabilityGate: Equatable, Sendable {
  /// What happens to it.
  public enum Event: Equatable, Sendable {
    /// A location wants to pass.
    case location(Location)
    /// The path has changed.
    case path(NetworkPath)
    /// The delay of that number is over.
    case delayOver(UInt64)
  }

  /// What is to be done.
  public enum Action: Equatable, Sendable {
    /// Let a location go on.
    case pass(Location)
    /// Tell that it began to hold or lets through again.
    case report(GateEvent)
    /// Send ``Event/delayOver(_:)`` with that number when the delay is over.
    case startDelay(UInt64)
  }

  /// The name it is reported under.
  public static let name = "reachability"

  /// Whether locations pass, and if not, why.
  public private(set) var verdict = Verdict.holds(reason: "pathUnknown")
  /// The newest location that is held.
  public private(set) var held: Location?
  /// How many locations it has held since it began to hold.
  public private(set) var heldCount = 0
  private var delay: UInt64?
  private var delayCount: UInt64 = 0
  private let delaysRelease: Bool

  /// Makes a gate that holds until it knows a path.
  ///
  /// - Parameter delaysRelease: Whether a release waits for ``Event/delayOver(_:)``.
  public init(delaysRelease: Bool = false) { self.delaysRelease = delaysRelease }

  /// Takes an event.
  ///
  /// - Parameter event: What happened.
  /// - Returns: What is to be done, in order.
  public mutating func handle(_ event: Event) -> [Action] {
    switch event {
    case .location(let location): offer(location)
    case .path(let path):
      path.isSatisfied ? regain() : lose(path.reason?.rawValue ?? path.status.rawValue)
    case .delayOver(let number): number == delay ? release() : []
    }
  }

  private mutating func offer(_ location: Location) -> [Action] {
    guard verdict != .passes || delay != nil else { return [.pass(location)] }
    held = location
    heldCount += 1
    return heldCount == 1 ? [.report(report)] : []
  }

  private mutating func lose(_ reason: String) -> [Action] {
    delay = nil
    let before = verdict
    verdict = .holds(reason: reason)
    // What is held stays held, whatever the reason turns into.
    return heldCount > 0 && before != verdict ? [.report(report)] : []
  }

  private mutating func regain() -> [Action] {
    guard verdict != .passes else { return [] }
    verdict = .passes
    guard delaysRelease, held != nil else { return release() }
    delayCount &+= 1
    delay = delayCount
    return [.startDelay(delayCount)]
  }

  private mutating func release() -> [Action] {
    delay = nil
    guard let location = held else { return [] }
    let actions: [Action] = [.report(report), .pass(location)]
    held = nil
    heldCount = 0
    return actions
  }

  var report: GateEvent {
    GateEvent(gate: Self.name, verdict: verdict, heldCount: heldCount)
  }
}
