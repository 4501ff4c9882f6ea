// SPDX-License-Identifier: Apache-2.0

public import Positioning
import Synchronization

/// A source that combines several sources and delivers the fixes of the best source.
///
/// Runs each source in its own task, and restarts failed sources with back-off. With
/// ``Member/pluggedIn`` the group discovers receivers, does not open receivers that gpsd claims,
/// and waits until a receiver is plugged in. A group has one run at a time.
public final class SourceGroup: FixSource, NMEACounting {
  /// The detail text of the loss that is delivered when ``replace(_:)`` removes the chosen source.
  public static let removalDetail = "the source was removed or its settings changed"

  private struct State {
    var request: SourceRequest
    var supervisor: SourceSupervisor
    var deliveries = DeliveryQueue()
    /// The sources supplied by the caller, by the keys of their plans.
    var others: [String: any FixSource] = [:]
    var tasks: [Int: Task<Void, Never>] = [:]
    var counters: [Int: any NMEACounting] = [:]
    /// The counters of runs that have ended.
    var pastCounters = NMEACounters()
    /// The newest run of each port and the name of the port in it, by resolved path.
    var ports: [String: (run: Int, devnode: String)] = [:]
    /// The time at which the timer ends, and its current sleep.
    var alarm: (at: MonotonicTime, sleep: Task<Void, Never>)?
    /// The consumer of the run; `nil` if the group is not running.
    var deliver: (@Sendable (Event) -> Void)?
    /// Whether the run is returning; further events are ignored.
    var isClosing = false
    /// Requests to restart the discovery.
    var restarts: AsyncStream<Void>.Continuation?
    /// The failures of the sources if all have ended permanently.
    var failures: [String]?
    /// Whether the run continues after all sources have ended, until ``SourceGroup/replace(_:)``
    /// starts them anew.
    var staysAfterEnd = false

    init(_ request: SourceRequest) {
      self.request = request
      supervisor = SourceSupervisor(seed: 0)
    }

    /// Makes all sources start anew; previous sources may still be closing their ports.
    mutating func startOver(_ environment: SourceEnvironment, seed: UInt64) {
      supervisor = SourceSupervisor(
        restartsFailedSources: environment.restartsFailedSources, seed: seed,
        lastRun: supervisor.members.lastRun)
      (others, failures, pastCounters) = ([:], nil, NMEACounters())
    }

    /// Passes the counters of ports without a position to the supervisor.
    mutating func noteCounters() {
      for run in supervisor.members.portsWithoutPosition {
        guard let source = counters[run.number] else { continue }
        supervisor.note(source.counters, of: run.number)
      }
    }
  }

  /// The minimum sleep, which prevents a busy loop on an expired deadline.
  private static let shortestWaitNanoseconds: Int64 = 5_000_000
  private static let longestWaitNanoseconds: Int64 = 3_600_000_000_000

  /// The dependencies of the group.
  public let environment: SourceEnvironment
  private let state: Mutex<State>

  /// Makes a group, which opens its sources when it runs.
  ///
  /// - Parameters:
  ///   - members: The sources. A duplicate is run once, even if two names lead to the same port.
  ///   - environment: The dependencies of the group.
  public init(_ members: [Member], environment: SourceEnvironment = SourceEnvironment()) {
    self.environment = environment
    state = Mutex(State(SourceRequest(members)))
  }

  /// The requested sources.
  public var members: [Member] { state.withLock { $0.request.members } }

  /// The names of the sources; `auto` denotes the discovered receivers.
  public var name: String { state.withLock { $0.request.name } }

  /// The status of the current or last run.
  public var diagnosis: SourceDiagnosis {
    state.withLock { state in
      state.noteCounters()
      var diagnosis = state.supervisor.diagnosis(at: environment.now())
      diagnosis.droppedEventCount = state.deliveries.droppedCount
      return diagnosis
    }
  }

  /// The summed counters of the current or last run, of all sources that read sentences.
  public var counters: NMEACounters {
    state.withLock { state in
      state.counters.values.reduce(into: state.pastCounters) { $0 += $1.counters }
    }
  }

  // MARK: Running

  /// Runs the sources until the task is cancelled or all sources have ended permanently.
  ///
  /// - Parameter deliver: Receives the events, one at a time and in order, on the thread of a
  ///   source. No lock is held, so `deliver` may call ``replace(_:)``.
  /// - Throws: ``Failure`` if all sources have ended and at least one has failed, or if the group is
  ///   already running; a cancelled run counts until it has returned. A missing receiver is not an error, since the group waits; a cancelled task
  ///   is not an error either.
  public func run(
    delivering deliver: @escaping @Sendable (FixSourceEvent) -> Void
  ) async throws(Failure) {
    let failures = await run(staysAfterEnd: false) { event in
      if case .source(let event) = event { deliver(event) }
    }
    guard failures.isEmpty else { throw Failure(failures: failures) }
  }

  /// Runs the sources until the task is cancelled, even if all sources have ended permanently.
  ///
  /// In this case ``replace(_:)`` starts all sources anew. See ``run(delivering:)`` for `deliver`.
  package func runUntilCancelled(delivering deliver: @escaping @Sendable (Event) -> Void) async {
    _ = await run(staysAfterEnd: true, deliver)
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
    let (request, seed) = (SourceRequest(members), environment.makeSeed())
    state.withLock { $0.request = request }
    var isAccepted = false
    perform { state, now in
      if state.failures != nil {
        guard state.staysAfterEnd else { return [] }
        state.startOver(environment, seed: seed)
      }
      isAccepted = true
      state.restarts?.yield()
      return applyRequest(&state, at: now)
    }
    return isAccepted
  }

  /// Runs the group; returns the failures of the sources if all have ended permanently.
  private func run(
    staysAfterEnd: Bool, _ deliver: @escaping @Sendable (Event) -> Void
  ) async -> [String] {
    guard !Task.isCancelled else { return [] }
    let (restarts, continuation) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingOldest(1))
    let seed = environment.makeSeed()
    let isFree = state.withLock { state in
      guard state.deliver == nil else { return false }
      state.startOver(environment, seed: seed)
      state.deliveries.removeAll()
      (state.deliver, state.staysAfterEnd) = (deliver, staysAfterEnd)
      (state.restarts, state.alarm, state.isClosing) = (continuation, nil, false)
      return true
    }
    guard isFree else { return ["\(name): the sources are already being read"] }
    perform { applyRequest(&$0, at: $1) }
    var iterator = restarts.makeAsyncIterator()
    while await runDiscovery(until: &iterator) {
      perform { $0.supervisor.handle(.discoveryRestarted, at: $1) }
    }
    let tasks = state.withLock { state in
      // The counters are gone once the sources have ended.
      state.noteCounters()
      state.isClosing = true
      return Array(state.tasks.values)
    }
    for task in tasks { task.cancel() }
    for task in tasks { await task.value }
    return state.withLock { state in
      state.deliver = nil
      return state.failures ?? []
    }
  }

  /// Runs the discovery and the timer until the discovery is to be restarted.
  ///
  /// Returns false if the run is over.
  private func runDiscovery(until restarts: inout AsyncStream<Void>.Iterator) async -> Bool {
    let policy = state.withLock {
      $0.request.discoveryPolicy(environment.policy, $0.supervisor.present)
    }
    return await withTaskGroup(of: Void.self) { group in
      if let policy {
        group.addTask { await self.environment.discover(policy) { self.take($0) } }
      }
      group.addTask { await self.runTimer() }
      let isRestarted = await restarts.next() != nil
      group.cancelAll()
      return isRestarted
    }
  }

  private func applyRequest(_ state: inout State, at now: MonotonicTime) -> [SourceAction] {
    let request = state.request
    state.others.merge(request.others) { old, _ in old }
    state.others = state.others.filter { request.others[$0.key] != nil }
    state.deliveries.append(.started(name: request.name))
    return state.supervisor.handle(
      .replaced(request.plans, autodetects: request.autodetects, local: environment.localGPSD),
      at: now)
  }

  private func take(_ event: DiscoveryEvent) {
    // Reading the configuration file must not happen under the lock.
    var isConfigured = false
    if case .found(let receiver) = event {
      isConfigured = environment.gpsdConfiguration().claims(receiver)
    }
    perform { $0.supervisor.handle(.discovered(event, isConfiguredForGPSD: isConfigured), at: $1) }
  }

  private func runTimer() async {
    while !Task.isCancelled {
      let sleep = state.withLock { state -> Task<Void, Never> in
        let now = environment.now()
        let deadline =
          state.supervisor.deadline ?? now.advanced(byNanoseconds: Self.longestWaitNanoseconds)
        let wait = max(
          Self.shortestWaitNanoseconds,
          min(Self.longestWaitNanoseconds, deadline.nanoseconds &- now.nanoseconds))
        let sleep = Task<Void, Never> { [clock = environment.clock] in
          try? await clock.sleep(for: .nanoseconds(wait))
        }
        state.alarm = (deadline, sleep)
        return sleep
      }
      await withTaskCancellationHandler {
        await sleep.value
      } onCancel: {
        sleep.cancel()
      }
      if !Task.isCancelled { perform { $0.supervisor.handle(.tick, at: $1) } }
    }
  }

  // MARK: Decisions

  /// Executes the actions of a decision under the lock, then delivers events without the lock.
  private func perform(_ decide: (inout State, MonotonicTime) -> [SourceAction]) {
    var (deliver, events, cancelled) = state.withLock { state in
      let cancelled = carryOut(decide, &state)
      return (state.deliver, state.deliveries.begin(), cancelled)
    }
    while let batch = events {
      for event in batch { deliver?(event) }
      (deliver, events) = state.withLock { ($0.deliver, $0.deliveries.next()) }
    }
    // Cancelled last and without the lock, since a cancellation handler may deliver an event.
    for task in cancelled { task.cancel() }
  }

  /// Executes the actions of a decision; returns the tasks to cancel.
  private func carryOut(
    _ decide: (inout State, MonotonicTime) -> [SourceAction], _ state: inout State
  ) -> [Task<Void, Never>] {
    guard state.deliver != nil, !state.isClosing else { return [] }
    var cancelled: [Task<Void, Never>] = []
    state.noteCounters()
    for action in decide(&state, environment.now()) {
      switch action {
      case .start(let run, let plan): state.tasks[run] = begin(run, plan, &state)
      case .stop(let run): if let task = state.tasks[run] { cancelled.append(task) }
      case .deliver(let event): state.deliveries.append(.source(event))
      case .restartDiscovery: state.restarts?.yield()
      case .finish(let failures):
        state.failures = failures
        state.deliveries.append(.ended(failures: failures))
        if !state.staysAfterEnd { state.restarts?.finish() }
      }
    }
    if let alarm = state.alarm, let deadline = state.supervisor.deadline, deadline < alarm.at {
      cancelled.append(alarm.sleep)
    }
    return cancelled
  }

  // MARK: Runs of a source

  /// Starts the task of a run; the task waits until a previous run has closed the same port.
  private func begin(_ run: Int, _ plan: SourcePlan, _ state: inout State) -> Task<Void, Never> {
    guard case .serial(let devnode, _, _, _) = plan else {
      return Task { await self.run(plan, number: run) }
    }
    // The kernel's TIOCEXCL is not sufficient: it does not affect root, and the first close ends it
    // even if another run has set it since.
    let path = PortHolders.realPath(of: devnode) ?? devnode
    let previous = state.ports[path]
    if let previous, state.supervisor.members.member(of: previous.run) != nil {
      let text = "\(devnode) is already open as \(previous.devnode)"
      return Task { self.end(run, SourceFailure(.unreachable, text, isDuplicate: true)) }
    }
    state.ports[path] = (run, devnode)
    let closing = previous.flatMap { state.tasks[$0.run] }
    return Task {
      await closing?.value
      await self.run(plan, number: run)
    }
  }

  private func run(_ plan: SourcePlan, number: Int) async {
    let source: (any FixSource)? =
      switch plan {
      case .serial(let devnode, let baud, let requiresValidation, let allowsMissingChecksum):
        environment.openPort(devnode, baud, requiresValidation, allowsMissingChecksum)
      case .gpsd(let address): environment.openGPSD(address)
      // `nil` if the source was removed before its task started; the run is already stopped.
      case .other: state.withLock { $0.others[plan.key] }
      }
    guard let source else { return end(number, nil) }
    if let counting = source as? any NMEACounting {
      state.withLock { $0.counters[number] = counting }
    }
    var failure: SourceFailure?
    do {
      try await source.run { event in
        self.perform { $0.supervisor.handle(.received(run: number, event), at: $1) }
      }
    } catch {
      failure = SourceFailure(error)
    }
    end(number, failure)
  }

  private func end(_ number: Int, _ failure: SourceFailure?) {
    state.withLock { state in
      state.ports = state.ports.filter { $0.value.run != number }
      if let source = state.counters.removeValue(forKey: number) {
        state.pastCounters += source.counters
      }
    }
    perform { $0.supervisor.handle(.ended(run: number, failure), at: $1) }
    state.withLock { $0.tasks[number] = nil }
  }
}
