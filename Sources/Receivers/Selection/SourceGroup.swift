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

  /// The sources that were asked for last.
  public var members: [Member] { held.members }
  /// Where receivers and gpsd are looked for.
  public let surroundings: SourceSurroundings
  private let held: HeldSources

  /// Makes a group that opens nothing yet.
  ///
  /// - Parameters:
  ///   - members: The sources; one that is named twice is run once, also by two names of a port.
  ///   - surroundings: Where receivers and gpsd are looked for.
  public init(_ members: [Member], surroundings: SourceSurroundings = SourceSurroundings()) {
    held = HeldSources(members)
    self.surroundings = surroundings
  }

  /// The names of the sources; `auto` for those that are plugged in.
  public var name: String { held.request.name }

  /// How the present or last run stands.
  public var situation: SourceSituation { held.run?.situation ?? SourceSituation() }

  /// What the present or last run has read of sentences, over all ports.
  public var counters: NMEACounters { held.run?.counters ?? NMEACounters() }

  /// Runs the sources until the task is cancelled, or all have ended that end by themselves.
  ///
  /// - Parameter deliver: Takes each event, in order, on the thread that it came on.
  /// - Throws: ``Failure`` where all have ended and one has failed. A receiver that is not there
  ///   is no error: it is waited for. A cancelled task is not an error either.
  public func run(
    delivering deliver: @escaping @Sendable (FixSourceEvent) -> Void
  ) async throws(Failure) {
    guard !Task.isCancelled else { return }
    let failures = await held.begin { request in
      SourceGroupRun(request, surroundings: surroundings, deliver: deliver)
    }.run()
    guard failures.isEmpty else { throw Failure(failures: failures) }
  }

  /// Asks for other sources, without a break for those that are among them as before.
  ///
  /// A port or a gpsd that was asked for and is, with the same settings, stays open and misses
  /// nothing. So does a receiver that was found by itself and is named now, or the other way
  /// about, or is named otherwise, where it is read in the same way; its fixes keep the name under
  /// which it was opened. What was handed in and has failed is run again where it still is asked
  /// for.
  /// A source that was handed in goes on where the very same object is handed in again. What is
  /// new is started, and what is not among them any more is stopped, and not heard of again; with
  /// other settings a port is first closed and then opened. Where the source whose fixes went on
  /// is stopped, the best of the others takes over at once; where there is none, it is lost.
  ///
  /// Not for whoever takes an event, while he takes it: events wait for this.
  ///
  /// - Parameter members: The sources.
  /// - Returns: Whether a run goes on with them. Where none does, the next one begins with them.
  @discardableResult
  public func replace(_ members: [Member]) -> Bool { held.replace(members) }
}

/// What is asked for, and the run that is looked at from outside.
private final class HeldSources: Sendable {
  private struct State {
    var members: [SourceGroup.Member]
    var request: SourceRequest
    var run: SourceGroupRun?
  }

  private let state: Mutex<State>
  /// One replacement at a time, so that the last that was asked for is the one that counts.
  private let turn = Mutex(())

  init(_ members: [SourceGroup.Member]) {
    state = Mutex(State(members: members, request: SourceRequest(members), run: nil))
  }

  var members: [SourceGroup.Member] { state.withLock { $0.members } }
  var request: SourceRequest { state.withLock { $0.request } }
  var run: SourceGroupRun? { state.withLock { $0.run } }

  func begin(_ make: (SourceRequest) -> SourceGroupRun) -> SourceGroupRun {
    state.withLock { state in
      let run = make(state.request)
      state.run = run
      return run
    }
  }

  func replace(_ members: [SourceGroup.Member]) -> Bool {
    turn.withLock { _ in
      let (request, run) = state.withLock { state in
        state.members = members
        state.request = SourceRequest(members, after: state.request)
        return (state.request, state.run)
      }
      return run?.replace(request) ?? false
    }
  }
}
