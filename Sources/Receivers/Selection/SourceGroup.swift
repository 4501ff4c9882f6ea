// SPDX-License-Identifier: Apache-2.0

public import Positioning
import Synchronization

/// A source that combines several sources and delivers the fixes of the best source.
///
/// Runs each source in its own task, and restarts failed sources with back-off. With
/// ``Member/pluggedIn`` the group discovers receivers, does not open receivers that gpsd claims,
/// and waits if there is no receiver.
public struct SourceGroup: FixSource, NMEACounting {
  /// The detail text of the loss that is delivered when ``replace(_:)`` removes the chosen source.
  public static let removalDetail = "the source was removed or its settings changed"

  /// A source to run.
  public enum Member: Sendable {
    /// All receivers plugged in now or later, and the gpsd of this host.
    case pluggedIn
    /// A serial port that the user has named; read even if gpsd's configuration claims the port.
    ///
    /// With `allowsMissingChecksum`, sentences without a checksum are accepted, too.
    case serial(devnode: String, baud: Int?, allowsMissingChecksum: Bool = false)
    /// A gpsd.
    case gpsd(GPSDAddress)
    /// Any other source. ``SourceGroup/replace(_:)`` identifies the source by `id`, or by the
    /// source's name if `id` is `nil`.
    case other(any FixSource, id: String? = nil)
  }

  /// The error of a run whose sources have all ended, some of them with a failure.
  public struct Failure: Error, Equatable, CustomStringConvertible {
    /// The failures, one line each.
    public let failures: [String]
    /// The failures in one line.
    public var description: String { failures.joined(separator: "; ") }
  }

  /// The requested sources.
  public var members: [Member] { current.members }
  /// The dependencies of the group.
  public let environment: SourceEnvironment
  private let current: CurrentSources

  /// Makes a group, which opens its sources when it runs.
  ///
  /// - Parameters:
  ///   - members: The sources. A duplicate is run once, even if two names lead to the same port.
  ///   - environment: The dependencies of the group.
  public init(_ members: [Member], environment: SourceEnvironment = SourceEnvironment()) {
    current = CurrentSources(members)
    self.environment = environment
  }

  /// The names of the sources; `auto` denotes the discovered receivers.
  public var name: String { current.request.name }

  /// The status of the current or last run.
  public var diagnosis: SourceDiagnosis { current.run?.diagnosis ?? SourceDiagnosis() }

  /// The summed counters of the current or last run, of all sources that read sentences.
  public var counters: NMEACounters { current.run?.counters ?? NMEACounters() }

  /// Runs the sources until the task is cancelled or all sources have ended permanently.
  ///
  /// - Parameter deliver: Receives the events, one at a time and in order, on the thread of a
  ///   source. No lock is held, so `deliver` may call ``replace(_:)``.
  /// - Throws: ``Failure`` if all sources have ended and at least one has failed. A missing
  ///   receiver is not an error, since the group waits; a cancelled task is not an error either.
  public func run(
    delivering deliver: @escaping @Sendable (FixSourceEvent) -> Void
  ) async throws(Failure) {
    guard !Task.isCancelled else { return }
    let failures = await current.begin(environment, deliver).run()
    guard failures.isEmpty else { throw Failure(failures: failures) }
  }

  /// Replaces the sources; unchanged sources keep running without losing events.
  ///
  /// A source is unchanged if the new members contain it with the same name and settings. All other
  /// sources are stopped; a port that is requested under another name is closed and reopened. If
  /// the chosen source is stopped, the best remaining source is chosen at once; without another
  /// source, a loss is delivered.
  ///
  /// - Returns: Whether the current run uses the new members. If false, the next run uses them.
  @discardableResult
  public func replace(_ members: [Member]) -> Bool {
    current.replace(members)?.applyCurrentRequest() ?? false
  }
}

/// The requested sources and the current run of a group.
final class CurrentSources: Sendable {
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
    _ environment: SourceEnvironment, _ deliver: @escaping @Sendable (FixSourceEvent) -> Void
  ) -> SourceGroupRun {
    let run = SourceGroupRun(
      request: { self.request }, environment: environment, deliver: deliver)
    state.withLock { $0.run = run }
    return run
  }

  /// Sets the sources; returns the run to which the change must be applied, if any.
  fileprivate func replace(_ members: [SourceGroup.Member]) -> SourceGroupRun? {
    state.withLock { state in
      state.members = members
      state.request = SourceRequest(members)
      return state.run
    }
  }
}
