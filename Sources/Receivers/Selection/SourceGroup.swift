// SPDX-License-Identifier: Apache-2.0

public import Positioning
import Synchronization

/// Several sources as one: receivers that come and go, gpsd, and what was named.
///
/// Runs each source in a task of its own, starts it again with back-off when it fails, and delivers
/// only what the best of them says. With ``Member/pluggedIn`` it finds receivers by itself, leaves
/// to gpsd what gpsd claims, and waits where there is none.
public struct SourceGroup: FixSource {
  /// A source to run.
  public enum Member: Sendable {
    /// Every receiver that is plugged in, now or later, and the gpsd of this host.
    case pluggedIn
    /// A port, read whatever gpsd's configuration says of it; naming it is consent.
    case serial(devnode: String, baud: Int?)
    /// A gpsd.
    case gpsd(GPSDAddress)
    /// Any other source; it is run once.
    case other(any FixSource)
  }

  /// Why a run of a group ends by itself: all its sources have ended, and some have failed.
  public struct Failure: Error, Equatable, CustomStringConvertible {
    /// Why they failed, one line each.
    public let failures: [String]
    /// The failures in one line.
    public var description: String { failures.joined(separator: "; ") }
  }

  /// The sources.
  public let members: [Member]
  /// Where receivers and gpsd are looked for.
  public let surroundings: SourceSurroundings
  private let latest = LatestRun()

  /// Makes a group that opens nothing yet.
  ///
  /// - Parameters:
  ///   - members: The sources; one that is named twice is run once, also by two names of a port.
  ///   - surroundings: Where receivers and gpsd are looked for.
  public init(_ members: [Member], surroundings: SourceSurroundings = SourceSurroundings()) {
    self.members = members
    self.surroundings = surroundings
  }

  /// The names of the sources; `auto` for those that are plugged in.
  public var name: String {
    ((takesPluggedIn ? ["auto"] : []) + plans.map(\.name)).joined(separator: ", ")
  }

  /// How the present or last run stands.
  public var situation: SourceSituation { latest.run?.situation ?? SourceSituation() }

  /// What the present or last run has read of sentences, over all ports.
  public var counters: NMEACounters { latest.run?.counters ?? NMEACounters() }

  /// Runs the sources until the task is cancelled, or all have ended that end by themselves.
  ///
  /// - Parameter deliver: Takes each event, in order, on the thread that it came on.
  /// - Throws: ``Failure`` where all have ended and one has failed. A receiver that is not there
  ///   is no error: it is waited for. A cancelled task is not an error either.
  public func run(
    delivering deliver: @escaping @Sendable (FixSourceEvent) -> Void
  ) async throws(Failure) {
    guard !Task.isCancelled else { return }
    let supervisor = SourceSupervisor(
      takesPluggedIn: takesPluggedIn, seed: surroundings.makeSeed())
    let run = SourceGroupRun(
      supervisor: supervisor, others: others, surroundings: surroundings, deliver: deliver)
    latest.run = run
    let failures = await run.run(plans)
    guard failures.isEmpty else { throw Failure(failures: failures) }
  }

  private var takesPluggedIn: Bool {
    members.contains { if case .pluggedIn = $0 { true } else { false } }
  }

  private var others: [any FixSource] {
    members.compactMap { if case .other(let source) = $0 { source } else { nil } }
  }

  private var plans: [SourcePlan] {
    var place = 0
    return members.compactMap { member in
      switch member {
      case .pluggedIn: return nil
      case .serial(let devnode, let baud):
        return .serial(devnode: devnode, baud: baud, needsProof: false)
      case .gpsd(let address): return .gpsd(address)
      case .other(let source):
        defer { place += 1 }
        return .other(place: place, name: source.name)
      }
    }
  }
}

/// The run that is looked at from outside.
private final class LatestRun: Sendable {
  private let held = Mutex<SourceGroupRun?>(nil)

  var run: SourceGroupRun? {
    get { held.withLock { $0 } }
    set { held.withLock { $0 = newValue } }
  }
}
