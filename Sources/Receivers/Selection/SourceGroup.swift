// SPDX-License-Identifier: Apache-2.0

public import Positioning
import Synchronization

/// Several sources as one: receivers that come and go, gpsd, and what was named.
///
/// Runs each source in a task of its own, starts it again with back-off when it fails, and delivers
/// only what the best of them says. With ``Member/pluggedIn`` it finds receivers by itself, leaves
/// to gpsd what gpsd claims, and waits where there is none.
public struct SourceGroup: FixSource, NMEACounting {
  /// The detail of the loss of a source that ``replace(_:)`` has removed.
  public static let dismissal = "it is no longer one of the sources, or has other settings"

  /// A source to run.
  public enum Member: Sendable {
    /// Every receiver that is plugged in, now or later, and the gpsd of this host.
    case pluggedIn
    /// A port, read whatever gpsd's configuration says of it; naming it is consent.
    case serial(devnode: String, baud: Int?)
    /// A gpsd.
    case gpsd(GPSDAddress)
    /// Any other source, which is run once; ``SourceGroup/replace(_:)`` knows it by its id, or its
    /// name without one.
    case other(any FixSource, id: String? = nil)
  }

  /// Why a run of a group ends by itself: all its sources have ended, and some have failed.
  public struct Failure: Error, Equatable, CustomStringConvertible {
    /// Why they failed, one line each.
    public let failures: [String]
    /// The failures in one line.
    public var description: String { failures.joined(separator: "; ") }
  }

  /// The sources that were asked for last.
  public var members: [Member] { held.members }
  /// Where receivers and gpsd are looked for.
  public let surroundings: SourceEnvironment
  private let held: HeldSources

  /// Makes a group that opens nothing yet.
  ///
  /// - Parameters:
  ///   - members: The sources; one that is named twice is run once, also by two names of a port.
  ///   - surroundings: Where receivers and gpsd are looked for.
  public init(_ members: [Member], surroundings: SourceEnvironment = SourceEnvironment()) {
    held = HeldSources(members)
    self.surroundings = surroundings
  }

  /// The names of the sources; `auto` for those that are plugged in.
  public var name: String { held.request.name }

  /// The situation of the present or last run.
  public var situation: SourceSituation { held.run?.situation ?? SourceSituation() }

  /// The sentences that the present or last run has read, over all sources that count them.
  public var counters: NMEACounters { held.run?.counters ?? NMEACounters() }

  /// Runs the sources until the task is cancelled, or all have ended that end by themselves.
  ///
  /// - Parameter deliver: Takes the events, one at a time and in order, on the thread of a source. No
  ///   lock is held: it may call ``replace(_:)``.
  /// - Throws: ``Failure`` where all have ended and one has failed. A missing receiver is no error:
  ///   the group waits for it. A cancelled task is not an error either.
  public func run(
    delivering deliver: @escaping @Sendable (FixSourceEvent) -> Void
  ) async throws(Failure) {
    guard !Task.isCancelled else { return }
    let failures = await held.begin(surroundings, deliver).run()
    guard failures.isEmpty else { throw Failure(failures: failures) }
  }

  /// Replaces the sources; unchanged ones keep running and miss nothing.
  ///
  /// A port, a gpsd and a source that was handed in are unchanged where the new members name them in
  /// the same way, with the same settings. All others are stopped, and opened again where the new
  /// members name them differently. Where the chosen source is stopped, the best of the others takes
  /// over at once; where there is none, it is lost.
  ///
  /// - Returns: Whether a run continues with the members. If not, the next run starts with them.
  @discardableResult
  public func replace(_ members: [Member]) -> Bool { held.replace(members)?.replaced() ?? false }
}

/// The requested sources, and the present run.
final class HeldSources: Sendable {
  private struct State {
    var members: [SourceGroup.Member]
    var request: SourceRequest
    var run: SourceGroupRun?
  }

  private let state: Mutex<State>

  init(_ members: [SourceGroup.Member]) {
    state = Mutex(State(members: members, request: SourceRequest(members), run: nil))
  }

  var members: [SourceGroup.Member] { state.withLock { $0.members } }
  var request: SourceRequest { state.withLock { $0.request } }
  var run: SourceGroupRun? { state.withLock { $0.run } }

  fileprivate func begin(
    _ surroundings: SourceEnvironment, _ deliver: @escaping @Sendable (FixSourceEvent) -> Void
  ) -> SourceGroupRun {
    let run = SourceGroupRun(
      request: { self.request }, surroundings: surroundings, deliver: deliver)
    state.withLock { $0.run = run }
    return run
  }

  /// Sets the sources; returns the run to be told.
  fileprivate func replace(_ members: [SourceGroup.Member]) -> SourceGroupRun? {
    state.withLock { state in
      state.members = members
      state.request = SourceRequest(members)
      return state.run
    }
  }
}
