// SPDX-License-Identifier: Apache-2.0

import Positioning
import Synchronization

/// Carries out what ``SourceSupervisor`` decides: a task a source, discovery, and a timer.
///
/// Whoever has an event takes it to the supervisor itself and delivers what follows from it, one
/// at a time: in order, without a queue in which a position could grow old.
final class SourceGroupRun: Sendable {
  private struct State {
    /// What is asked for.
    var request: SourceRequest
    var supervisor: SourceSupervisor
    var tasks: [Int: Task<Void, Never>] = [:]
    var counters: [Int: @Sendable () -> NMEACounters] = [:]
    /// What the runs have read that are over.
    var pastCounters = NMEACounters()
    var ports = PortTurns()
    var alarm: Alarm?
    var failures: [String] = []
    var hasBegun = false
    /// Whether every source has come to its end.
    var hasFinished = false
    var isOver = false
  }

  /// The timer's present sleep.
  private struct Alarm {
    var at: MonotonicTime
    var sleep: Task<Void, Never>
  }

  /// Keeps a deadline that has passed and stays from turning the timer into a spin.
  private static let shortestWaitNanoseconds: Int64 = 5_000_000
  private static let longestWaitNanoseconds: Int64 = 3_600_000_000_000

  private let state: Mutex<State>
  /// Held from a decision to the end of its delivery.
  ///
  /// Apart from the state, so that whoever takes a delivery may ask how things stand.
  private let turn = Mutex(())
  private let surroundings: SourceSurroundings
  private let deliver: @Sendable (FixSourceEvent) -> Void
  /// One for each change of what discovery is asked for; ends with the last source.
  private let changes: AsyncStream<Void>
  private let change: AsyncStream<Void>.Continuation

  init(
    _ request: SourceRequest, surroundings: SourceSurroundings,
    deliver: @escaping @Sendable (FixSourceEvent) -> Void
  ) {
    let supervisor = SourceSupervisor(
      takesPluggedIn: request.takesPluggedIn, seed: surroundings.makeSeed())
    state = Mutex(State(request: request, supervisor: supervisor))
    self.surroundings = surroundings
    self.deliver = deliver
    (changes, change) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(1))
  }

  var situation: SourceSituation { state.withLock { $0.supervisor.situation } }

  var counters: NMEACounters {
    state.withLock { state in
      state.counters.values.reduce(into: state.pastCounters) { $0 += $1() }
    }
  }

  /// Runs until the task is cancelled or every source has ended; why, where they failed.
  func run() async -> [String] {
    perform { state, now in
      state.hasBegun = true
      return state.supervisor.start(
        state.request.plans, local: surroundings.localGPSD, at: now)
    }
    var iterator = changes.makeAsyncIterator()
    var isFirst = true
    var goesOn = true
    while goesOn {
      if !isFirst { perform { $0.supervisor.handle(.looksAgain, at: $1) } }
      isFirst = false
      let policy = state.withLock { state in
        var policy = state.request.discoveryPolicy(surroundings.policy)
        // Of twins the first to be told would get the name of the other, were it begun blank.
        policy?.names = state.supervisor.present.names
        // And of a receiver's ports the first, whichever of them is open.
        policy?.portsInUse = state.supervisor.present.portsInUse
        return policy
      }
      goesOn = await withTaskGroup(of: Void.self) { group in
        if let policy {
          group.addTask { [self] in
            await surroundings.discover(policy) { self.take($0) }
          }
        }
        group.addTask { [self] in await keepTime() }
        // Ends with the last source, or when cancelled.
        let hasChanged = await iterator.next() != nil
        group.cancelAll()
        return hasChanged
      }
    }
    let (tasks, failures) = state.withLock { state in
      state.isOver = true
      return (Array(state.tasks.values), state.failures)
    }
    for task in tasks { task.cancel() }
    for task in tasks { await task.value }
    return failures
  }

  /// Goes on with other sources; false where it is over.
  func replace(_ request: SourceRequest) -> Bool {
    var (isTaken, looksAgain) = (false, false)
    perform { state, now in
      guard !state.hasFinished else { return [] }
      let before = state.request
      state.request = request
      isTaken = true
      guard state.hasBegun else {
        state.supervisor.takesPluggedIn = request.takesPluggedIn
        return []
      }
      looksAgain =
        before.takesPluggedIn != request.takesPluggedIn
        || before.discoveryPolicy(surroundings.policy)
          != request.discoveryPolicy(surroundings.policy)
      return state.supervisor.handle(
        .replaced(
          request.plans, takesPluggedIn: request.takesPluggedIn, local: surroundings.localGPSD),
        at: now)
    }
    if looksAgain { change.yield() }
    return isTaken
  }

  private func take(_ event: DiscoveryEvent) {
    // Read before the lock: it is a file.
    var isConfigured = false
    if case .found(let receiver) = event {
      isConfigured = surroundings.gpsdConfiguration().claims(receiver)
    }
    perform { $0.supervisor.handle(.discovered(event, isConfiguredForGPSD: isConfigured), at: $1) }
  }

  // MARK: Decisions

  private func perform(
    _ decide: (inout State, MonotonicTime) -> [SourceSupervisor.Action]
  ) {
    let cancelled = turn.withLock { _ in
      let (events, cancelled) = state.withLock { state in carryOut(decide, &state) }
      for event in events { deliver(event) }
      return cancelled
    }
    // Afterwards: whoever is cancelled may have a last word.
    for task in cancelled { task.cancel() }
  }

  private func carryOut(
    _ decide: (inout State, MonotonicTime) -> [SourceSupervisor.Action],
    _ state: inout State
  ) -> (events: [FixSourceEvent], cancelled: [Task<Void, Never>]) {
    guard !state.isOver else { return ([], []) }
    var (events, cancelled): ([FixSourceEvent], [Task<Void, Never>]) = ([], [])
    // What has been read of runs of which nothing else tells.
    for run in state.supervisor.unheardRuns {
      if let counters = state.counters[run] { state.supervisor.note(counters(), of: run) }
    }
    for action in decide(&state, surroundings.now()) {
      switch action {
      case .start(let run, let plan):
        state.tasks[run] = begin(run, plan, &state)
      case .stop(let run): if let task = state.tasks[run] { cancelled.append(task) }
      case .deliver(let event): events.append(event)
      case .finish(let failures):
        state.failures = failures
        state.hasFinished = true
        change.finish()
      }
    }
    if let alarm = state.alarm, let deadline = state.supervisor.deadline, deadline < alarm.at {
      cancelled.append(alarm.sleep)
    }
    return (events, cancelled)
  }

  private func keepTime() async {
    while !Task.isCancelled {
      let sleep = state.withLock { state -> Task<Void, Never> in
        let now = surroundings.now()
        let deadline =
          state.supervisor.deadline ?? now.advanced(byNanoseconds: Self.longestWaitNanoseconds)
        let wait = max(
          Self.shortestWaitNanoseconds,
          min(Self.longestWaitNanoseconds, deadline.nanoseconds &- now.nanoseconds))
        let sleep = Task<Void, Never> { [clock = surroundings.clock] in
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

  /// The task of a run; one that is to read a port waits until the run before has closed it.
  private func begin(_ run: Int, _ plan: SourcePlan, _ state: inout State) -> Task<Void, Never> {
    guard case .serial(let devnode, _, _) = plan else {
      return Task { await self.run(plan, number: run) }
    }
    let supervisor = state.supervisor
    let turn = state.ports.take(
      PortHolders.realPath(of: devnode) ?? devnode, for: run, named: devnode,
      isOver: { supervisor.owners[$0] == nil })
    switch turn {
    case .free: return Task { await self.run(plan, number: run) }
    case .after(let before):
      let closing = state.tasks[before]
      return Task {
        await closing?.value
        await self.run(plan, number: run)
      }
    case .taken(let name):
      let failure = SourceFailure(.duplicate, "\(devnode) is \(name), which is read already")
      return Task { self.end(run, failure) }
    }
  }

  private func run(_ plan: SourcePlan, number: Int) async {
    let failure: SourceFailure?
    switch plan {
    case .serial(let devnode, let baud, let needsProof):
      let (source, counters) = surroundings.openPort(devnode, baud, needsProof)
      state.withLock { $0.counters[number] = counters }
      failure = await failureOf(source, number)
    case .gpsd(let address): failure = await failureOf(surroundings.openGPSD(address), number)
    case .other(let place, _):
      // One that is not asked for any more has been stopped.
      guard let source = state.withLock({ $0.request.others[place] }) else {
        return end(number, nil)
      }
      failure = await failureOf(source, number)
    }
    end(number, failure)
  }

  private func end(_ number: Int, _ failure: SourceFailure?) {
    state.withLock { $0.ports.release(number) }
    perform { $0.supervisor.handle(.ended(run: number, failure), at: $1) }
    state.withLock { state in
      state.tasks[number] = nil
      if let counters = state.counters.removeValue(forKey: number) {
        state.pastCounters += counters()
      }
    }
  }

  private func failureOf(_ source: some FixSource, _ number: Int) async -> SourceFailure? {
    do {
      try await source.run { event in
        self.perform { $0.supervisor.handle(.said(run: number, event), at: $1) }
      }
      return nil
    } catch {
      return SourceFailure(error)
    }
  }
}
