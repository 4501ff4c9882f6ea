// SPDX-License-Identifier: Apache-2.0

import Positioning
import Synchronization

/// Executes the actions of ``SourceSupervisor``, with a task per source, the discovery and a timer.
final class SourceGroupRun: Sendable {
  private struct State {
    var supervisor: SourceSupervisor
    var deliveries = DeliveryQueue()
    /// The sources supplied by the caller, by the keys of their plans.
    var others: [String: any FixSource] = [:]
    var tasks: [Int: Task<Void, Never>] = [:]
    var counters: [Int: any NMEACounting] = [:]
    /// The counters of runs that have ended.
    var pastCounters = NMEACounters()
    var ports = PortLocks()
    var alarm: Alarm?
    var failures: [String] = []
    var hasBegun = false
    /// Whether all sources have ended permanently.
    var haveSourcesEnded = false
    /// Whether ``SourceGroupRun/run()`` is returning; further events are ignored.
    var isFinished = false
  }

  /// The current sleep of the timer.
  private struct Alarm {
    var at: MonotonicTime
    var sleep: Task<Void, Never>
  }

  /// The minimum sleep, which prevents a busy loop on an expired deadline.
  private static let shortestWaitNanoseconds: Int64 = 5_000_000
  private static let longestWaitNanoseconds: Int64 = 3_600_000_000_000

  private let state: Mutex<State>
  private let request: @Sendable () -> SourceRequest
  private let environment: SourceEnvironment
  private let deliver: @Sendable (FixSourceEvent) -> Void
  /// Requests to restart the discovery; finishes when all sources have ended.
  private let restarts: AsyncStream<Void>
  private let restartContinuation: AsyncStream<Void>.Continuation

  init(
    request: @escaping @Sendable () -> SourceRequest, environment: SourceEnvironment,
    deliver: @escaping @Sendable (FixSourceEvent) -> Void
  ) {
    let supervisor = SourceSupervisor(
      restartsFailedSources: environment.restartsFailedSources, seed: environment.makeSeed())
    state = Mutex(State(supervisor: supervisor))
    self.request = request
    self.environment = environment
    self.deliver = deliver
    (restarts, restartContinuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(1))
  }

  var diagnosis: SourceDiagnosis {
    state.withLock { state in
      Self.noteCounters(&state)
      var diagnosis = state.supervisor.diagnosis(at: environment.now())
      diagnosis.droppedEventCount = state.deliveries.droppedCount
      return diagnosis
    }
  }

  var counters: NMEACounters {
    state.withLock { state in
      state.counters.values.reduce(into: state.pastCounters) { $0 += $1.counters }
    }
  }

  /// Runs until the task is cancelled or every source has ended; returns the failures.
  func run() async -> [String] {
    perform { state, now in
      state.hasBegun = true
      return applyRequest(&state, at: now)
    }
    var iterator = restarts.makeAsyncIterator()
    var isRunning = true
    while isRunning {
      let policy = state.withLock { state in
        var policy = request().discoveryPolicy(environment.policy)
        // Devices keep their names, and ports stay in use, in whatever order devices are reported.
        policy?.names = state.supervisor.present.names
        policy?.portsInUse = state.supervisor.present.portsInUse
        return policy
      }
      isRunning = await withTaskGroup(of: Void.self) { group in
        if let policy {
          group.addTask { [self] in
            await environment.discover(policy) { self.take($0) }
          }
        }
        group.addTask { [self] in await runTimer() }
        let isRestarted = await iterator.next() != nil
        group.cancelAll()
        return isRestarted
      }
      if isRunning { perform { $0.supervisor.handle(.discoveryRestarted, at: $1) } }
    }
    let (tasks, failures) = state.withLock { state in
      // The counters are gone once the sources have ended.
      Self.noteCounters(&state)
      state.isFinished = true
      return (Array(state.tasks.values), state.failures)
    }
    for task in tasks { task.cancel() }
    for task in tasks { await task.value }
    return failures
  }

  /// Applies the current request to the run; returns false if the run has ended.
  func applyCurrentRequest() -> Bool {
    var isAccepted = false
    perform { state, now in
      isAccepted = !state.haveSourcesEnded && !state.isFinished
      return isAccepted && state.hasBegun ? applyRequest(&state, at: now) : []
    }
    if isAccepted { restartContinuation.yield() }
    return isAccepted
  }

  private func applyRequest(
    _ state: inout State, at now: MonotonicTime
  ) -> [SourceAction] {
    let request = request()
    state.others.merge(request.others) { old, _ in old }
    state.others = state.others.filter { request.others[$0.key] != nil }
    return state.supervisor.handle(
      .replaced(
        request.plans, autodetects: request.autodetects, local: environment.localGPSD),
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

  // MARK: Decisions

  /// Executes the actions of a decision under the lock, then delivers events without the lock.
  private func perform(
    _ decide: (inout State, MonotonicTime) -> [SourceAction]
  ) {
    var (events, cancelled) = state.withLock { state in
      let cancelled = carryOut(decide, &state)
      return (state.deliveries.begin(), cancelled)
    }
    while let batch = events {
      for event in batch { deliver(event) }
      events = state.withLock { $0.deliveries.next() }
    }
    // Cancelled last and without the lock, since a cancellation handler may deliver an event.
    for task in cancelled { task.cancel() }
  }

  private func carryOut(
    _ decide: (inout State, MonotonicTime) -> [SourceAction],
    _ state: inout State
  ) -> [Task<Void, Never>] {
    guard !state.isFinished else { return [] }
    var cancelled: [Task<Void, Never>] = []
    Self.noteCounters(&state)
    for action in decide(&state, environment.now()) {
      switch action {
      case .start(let run, let plan):
        state.tasks[run] = begin(run, plan, &state)
      case .stop(let run): if let task = state.tasks[run] { cancelled.append(task) }
      case .deliver(let event): state.deliveries.append(event)
      case .restartDiscovery: restartContinuation.yield()
      case .finish(let failures):
        state.failures = failures
        state.haveSourcesEnded = true
        restartContinuation.finish()
      }
    }
    if let alarm = state.alarm, let deadline = state.supervisor.deadline, deadline < alarm.at {
      cancelled.append(alarm.sleep)
    }
    return cancelled
  }

  /// Passes the counters of ports without a position to the supervisor.
  private static func noteCounters(_ state: inout State) {
    for run in state.supervisor.members.portsWithoutPosition {
      guard let source = state.counters[run.number] else { continue }
      state.supervisor.note(source.counters, of: run.number)
    }
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
        state.alarm = Alarm(at: deadline, sleep: sleep)
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

  // MARK: Runs

  /// Starts the task of a run; the task waits until a previous run has closed the same port.
  private func begin(_ run: Int, _ plan: SourcePlan, _ state: inout State) -> Task<Void, Never> {
    guard case .serial(let devnode, _, _, _) = plan else {
      return Task { await self.run(plan, number: run) }
    }
    let supervisor = state.supervisor
    let outcome = state.ports.acquire(
      PortHolders.realPath(of: devnode) ?? devnode, for: run, named: devnode,
      isFinished: { supervisor.members.member(of: $0) == nil })
    switch outcome {
    case .free: return Task { await self.run(plan, number: run) }
    case .after(let previous):
      let closing = state.tasks[previous]
      return Task {
        await closing?.value
        await self.run(plan, number: run)
      }
    case .taken(let name):
      let failure = SourceFailure(
        .unreachable, "\(devnode) is already open as \(name)", isDuplicate: true)
      return Task { self.end(run, failure) }
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
    end(number, await failure(of: source, number))
  }

  private func end(_ number: Int, _ failure: SourceFailure?) {
    state.withLock { $0.ports.release(number) }
    perform { $0.supervisor.handle(.ended(run: number, failure), at: $1) }
    state.withLock { state in
      state.tasks[number] = nil
      if let source = state.counters.removeValue(forKey: number) {
        state.pastCounters += source.counters
      }
    }
  }

  private func failure(of source: some FixSource, _ number: Int) async -> SourceFailure? {
    do {
      try await source.run { event in
        self.perform { $0.supervisor.handle(.received(run: number, event), at: $1) }
      }
      return nil
    } catch {
      return SourceFailure(error)
    }
  }
}
