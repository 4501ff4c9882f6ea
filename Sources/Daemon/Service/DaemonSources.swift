// SPDX-License-Identifier: Apache-2.0

internal import FixcastConfiguration
internal import Pipeline
internal import Positioning
internal import Receivers
internal import Synchronization
internal import SystemSupport

/// Runs the configured sources as one group for the lifetime of the daemon.
final class DaemonSources: Sendable {
  private struct State: Sendable {
    var specifications: [SourceSpecification] = []
    /// The members of the group; reused while their settings stay the same.
    var members: [SourceSpecification: SourceGroup.Member] = [:]
    var status = Status()
  }

  private let state = Mutex(State())
  private let factory: SourceFactory
  private let group: SourceGroup
  private let clock: BoardClock?
  private let now: @Sendable () -> MonotonicTime
  private let deliver: @Sendable (FixSourceEvent, _ name: String) -> Void
  private let report: @Sendable (DaemonLogEvent) -> Void

  /// Creates the sources without opening them.
  ///
  /// - Parameters:
  ///   - settings: The sources.
  ///   - factory: Creates the sources.
  ///   - clock: The wall clock, which is corrected by the fixes of receivers.
  ///   - now: The clock of ``Status/lastFixAt``.
  ///   - deliver: Handles an event. `name` is the combined name of all sources. Must return at
  ///     once.
  ///   - report: Logs an event. Must return at once.
  init(
    _ settings: [SourceSettings], factory: SourceFactory, clock: BoardClock? = nil,
    now: @escaping @Sendable () -> MonotonicTime,
    deliver: @escaping @Sendable (FixSourceEvent, _ name: String) -> Void,
    report: @escaping @Sendable (DaemonLogEvent) -> Void
  ) {
    self.factory = factory
    self.clock = clock
    self.now = now
    self.deliver = deliver
    self.report = report
    var environment = factory.environment
    environment.restartsFailedSources = true
    group = SourceGroup([], environment: environment)
    apply(settings)
  }

  var status: Status {
    var status = state.withLock { $0.status }
    status.name = group.name
    (status.counters, status.diagnosis) = (group.counters, group.diagnosis)
    return status
  }

  /// Replaces the sources; sources with the same settings keep running.
  func apply(_ settings: [SourceSettings]) {
    let specifications = settings.map(\.specification)
    let members = state.withLock { state -> [SourceGroup.Member]? in
      guard specifications != state.specifications else { return nil }
      state.specifications = specifications
      let before = state.members
      state.members = [:]
      return specifications.map { specification in
        let member = before[specification] ?? factory.memberOrUnavailable(for: specification)
        state.members[specification] = member
        return member
      }
    }
    if let members { group.replace(members) }
  }

  /// Runs until the task is cancelled.
  func run() async {
    await group.runUntilCancelled { [self] in take($0) }
    state.withLock { $0.status.state = .stopped }
  }

  private func take(_ event: SourceGroup.Event) {
    switch event {
    case .started(let name):
      state.withLock { state in
        state.status.name = name
        if state.status.state == .stopped { state.status.state = .running }
      }
    case .source(let event): deliver(event, updateStatus(for: event))
    case .ended(let failures):
      let name = state.withLock { state in
        state.status.state = .stopped
        if !failures.isEmpty { state.status.lastError = failures.joined(separator: "; ") }
        return state.status.name
      }
      report(.sourceEnded(name: name))
    }
  }

  /// Updates the status; returns the combined name of all sources.
  private func updateStatus(for event: FixSourceEvent) -> String {
    let now = now()
    return state.withLock { state in
      switch event {
      case .fix(let fix):
        state.status.state = .running
        clock?.note(ReceiverClock(fix))
        // A simulated receiver marks its data once per second, so its first fix may lack the mark.
        if fix.isSimulated { clock?.forget() }
        guard let coordinate = fix.coordinate else { break }
        state.status.lastFixAt = now
        (state.status.isReplayed, state.status.lastFixRecordedAt) = (fix.isReplayed, fix.recordedAt)
        state.status.isUnchecked = fix.isUnchecked
        state.status.isZeroPosition = coordinate.isZero
      case .lost(let loss) where loss.detail == SourceGroup.removalDetail:
        // A reload removed the source. This is not an error. The source's last fix is no longer
        // relevant.
        state.status.state = .running
        (state.status.lastFixAt, state.status.lastError) = (nil, nil)
        (state.status.isReplayed, state.status.isUnchecked) = (false, false)
        state.status.isZeroPosition = false
      case .lost(let loss):
        state.status.state = .waiting
        state.status.errorCount &+= 1
        state.status.lastError = "\(loss)"
      case .sky, .sentences, .instruments, .connected, .receiver, .message: break
      }
      return state.status.name
    }
  }
}
