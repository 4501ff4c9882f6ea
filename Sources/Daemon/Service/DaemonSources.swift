// SPDX-License-Identifier: Apache-2.0

internal import FixcastConfiguration
internal import Pipeline
internal import Positioning
internal import Receivers
internal import Synchronization
internal import SystemSupport

/// Runs the configured sources as one group for the lifetime of the daemon.
final class DaemonSources: Sendable {
  /// The state of the sources, for the status.
  struct Status: Sendable {
    /// The combined name of all sources.
    var name = ""
    var state = PluginStatus.State.stopped
    var errorCount: UInt64 = 0
    var lastError: String?
    /// The time of the last fix with a position.
    var lastFixAt: MonotonicTime?
    /// Whether the last fix with a position is from a recording.
    var isReplayed = false
    /// Whether the last fix with a position is from sentences without a checksum.
    var isUnchecked = false
    /// Whether the last position is exactly 0° N, 0° E.
    var isZeroPosition = false
    /// The recorded time of the last fix with a position.
    var lastFixRecordedAt: MonotonicTime?
    var counters = NMEACounters()
    var diagnosis = SourceDiagnosis()
  }

  private struct State: Sendable {
    var specifications: [SourceSpecification] = []
    /// The members that this class created, instead of the group; reused while their settings stay
    /// the same.
    var externalMembers: [SourceSpecification: SourceGroup.Member] = [:]
    var status = Status()
  }

  /// A source whose creation failed; each attempt to run it throws that error.
  private struct UnavailableSource: FixSource {
    let name: String
    let error: any Error

    func run(
      delivering deliver: @escaping @Sendable (FixSourceEvent) -> Void
    ) async throws(any Error) { throw error }
  }

  private let state = Mutex(State())
  private let factory: SourceFactory
  private let group: SourceGroup
  private let clock: BoardClock?
  /// Requests to run the group, which `apply(_:)` sends if the group is not running.
  private let starts: AsyncStream<Void>
  private let startContinuation: AsyncStream<Void>.Continuation
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
    (starts, startContinuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
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
      let members = specifications.map { state.externalMembers[$0] ?? member(for: $0) }
      state.externalMembers = [:]
      for case (let specification, let member) in zip(specifications, members) {
        if case .other = member { state.externalMembers[specification] = member }
      }
      return members
    }
    if let members, !group.replace(members) { startContinuation.yield() }
  }

  private func member(for specification: SourceSpecification) -> SourceGroup.Member {
    do {
      return try factory.member(for: specification)
    } catch {
      return .other(UnavailableSource(name: "\(specification)", error: error))
    }
  }

  /// Runs until the task is cancelled.
  func run() async {
    for await _ in starts {
      state.withLock { $0.status.state = .running }
      var failure: String?
      do {
        try await group.run { [self] event in
          updateStatus(for: event)
          deliver(event, group.name)
        }
      } catch { failure = "\(error)" }
      state.withLock { state in
        state.status.state = .stopped
        state.status.lastError = failure ?? state.status.lastError
      }
      if !Task.isCancelled { report(.sourceEnded(name: group.name)) }
    }
    state.withLock { $0.status.state = .stopped }
  }

  private func updateStatus(for event: FixSourceEvent) {
    let now = now()
    state.withLock { state in
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
    }
  }
}
