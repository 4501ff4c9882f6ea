// SPDX-License-Identifier: Apache-2.0

internal import Positioning
internal import Synchronization

/// A plugin's entry in a pipeline: its queue, its counts, and the task that supervises its
/// instances.
final class PluginSlot: Sendable {
  let key: PluginKey
  let mailbox: Mailbox
  private let environment: PipelineEnvironment
  private let elapsed: @Sendable () -> Duration
  private let state: Mutex<PluginState>
  private let wakes: AsyncStream<Void>
  private let wake: AsyncStream<Void>.Continuation

  init(_ key: PluginKey, _ specification: PluginSpecification, _ environment: PipelineEnvironment) {
    self.key = key
    self.environment = environment
    elapsed = environment.clock.stopwatch()
    mailbox = Mailbox(specification.mailbox)
    state = Mutex(PluginState(key, specification, environment.stop))
    (wakes, wake) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  /// Whether the plugin has stopped or failed permanently.
  var isFinished: Bool { state.withLock { $0.supervision.isFinished } }

  /// Whether the plugin failed permanently.
  var hasFailed: Bool {
    if case .failed = state.withLock({ $0.supervision.phase }) { true } else { false }
  }

  /// Whether the plugin has failed or is waiting for a restart; locations bypass such a stage.
  var isDown: Bool { state.withLock { $0.supervision.isDown } }

  // MARK: Calls from the pipeline, which return immediately

  /// Puts an event into the queue, unless the plugin's `takes` filter rejects it.
  func send(_ event: any PipelineEvent) {
    let (takes, isFinished) = state.withLock { ($0.specification.takes, $0.supervision.isFinished) }
    guard isFinished || takes(event) else {
      return state.withLock { $0.status.skippedCount &+= 1 }
    }
    guard mailbox.send(event, at: environment.now()) == .overflow else { return }
    let limit = mailbox.queue.policy.limit
    let why = "queue is full: \(limit) alerts are waiting and none may be dropped"
    add(.mustEnd(PluginError(.permanent, "mailbox", why: why)))
  }

  /// Ends the input.
  func finish() {
    let isFirst = state.withLock { state in
      defer { state.isFinishing = true }
      return !state.isFinishing
    }
    guard isFirst else { return }
    mailbox.finish()
    add(.finish(hasInput: mailbox.queue.depth > 0))
  }

  /// Replaces the instance with an instance that has a new specification.
  func replace(_ specification: PluginSpecification) {
    state.withLock { $0.specification = specification }
    mailbox.change(specification.mailbox)
    add(.replace)
  }

  /// Ends the plugin after it has emptied its queue.
  func drainAndStop() {
    let queue = mailbox.queue
    state.withLock { state in
      guard !state.isDraining else { return }
      state.isDraining = true
      if state.lostBeforeStop == nil { state.lostBeforeStop = queue.lostCount }
      // A failed sink is restarted once to drain its queue; a gate or stage is not. Add both events
      // together: a failure between them would be handled as if the plugin were still configured.
      if key.role == .sink, !state.isFinishing { state.add(.finish(hasInput: queue.depth > 0)) }
      state.add(.stop)
    }
    wake.yield()
  }

  /// Ends the plugin immediately.
  func cancel() { add(.cancel) }

  /// Counts all further losses and failures as caused by the stop of the pipeline.
  func beginPipelineStop() {
    let lostCount = mailbox.queue.lostCount
    state.withLock { state in
      state.isStopping = true
      if !state.supervision.isFinished { state.lostBeforeStop = lostCount }
    }
  }

  private func add(_ event: PluginSupervision.Event) {
    state.withLock { $0.add(event) }
    wake.yield()
  }

  // MARK: Calls from the instance

  /// Whether the instance with this number is active, so that its calls take effect.
  func isActive(_ number: UInt64) -> Bool { state.withLock { $0.isActive(number) } }

  func beginCall(_ number: UInt64, isEvent: Bool = false) {
    let now = elapsed()
    if state.withLock({ $0.beginCall(number, at: now, isEvent: isEvent) }) { wake.yield() }
  }

  /// Makes the instance's delivery part of the status, until the next instance starts.
  func setSink(_ sink: any Sink, _ number: UInt64) {
    state.withLock { if $0.isActive(number) { $0.deliveringSink = sink as? any DeliveringSink } }
  }

  func endCall(_ number: UInt64) { state.withLock { $0.endCall(number) } }

  /// Records that the instance has received the end of its input.
  func recordEndOfInput(_ number: UInt64) {
    state.withLock { if $0.isActive(number) { $0.hasReceivedEnd = true } }
  }

  /// Counts events that the plugin forwarded or wrote.
  func countOutput(_ count: UInt64 = 1, isSuccess: Bool = true) {
    let now = environment.now()
    state.withLock {
      $0.status.outCount &+= count
      if isSuccess { $0.countSuccess(at: now) }
    }
  }

  /// Counts a failure.
  func count(_ error: PluginError) {
    let now = environment.now()
    state.withLock { $0.count(error, at: now) }
  }

  // MARK: Counts

  var status: PluginStatus {
    state.withLock { $0 }.status(mailbox, at: elapsed(), environment.now())
  }

  /// Records that a gate passed a location.
  func countGatePass() { state.withLock { $0.countGatePass() } }

  /// Adds the number of locations that a gate reports as held since it last passed a location.
  func countGateRelease(_ count: Int) { state.withLock { $0.countGateRelease(count) } }

  /// The error that occurred in the plugin while the pipeline stopped; `nil` if the last instance
  /// ended without error.
  var stopFailure: PluginError? { state.withLock { $0.stopFailure } }

  /// The number of events lost since the plugin or the pipeline began to stop.
  var lostCount: UInt64 {
    let (before, isFinished) = state.withLock { ($0.lostBeforeStop, $0.supervision.isFinished) }
    guard let before else { return 0 }
    let queue = mailbox.queue
    // Events in the queue of a finished plugin are lost: the queue is about to be closed.
    return queue.lostCount &- before &+ (isFinished ? UInt64(queue.depth) : 0)
  }

  /// Adds the plugin's counts to the pipeline's counters.
  func add(to counters: inout PipelineCounters) {
    let dropped = mailbox.queue.droppedCount
    if key.role == .sink {
      counters.dropped &+= dropped &+ (state.withLock { $0.isDraining } ? lostCount : 0)
    } else {
      counters.conflated &+= dropped
      counters.held &+= state.withLock { $0.heldCount }
    }
  }

  // MARK: The supervising task

  /// Runs one instance after another until the plugin has stopped permanently.
  func run(in pipeline: LocationPipeline) async {
    // An unstructured task, so that cancelling the run does not cancel the supervisor's waits. The
    // supervisor receives a cancel event instead.
    let loop = Task { await supervise(in: pipeline) }
    await withTaskCancellationHandler {
      await loop.value
    } onCancel: {
      cancel()
    }
  }

  private func supervise(in pipeline: LocationPipeline) async {
    var generator = environment.makeGenerator()
    var task: Task<PluginError?, Never>?
    var timer: Task<Void, Never>?
    defer { timer?.cancel() }
    var wakes = wakes.makeAsyncIterator()
    while true {
      // Outer `nil`: no instance has just ended. Inner `nil`: the instance ended without an error.
      var ended: PluginError??
      // Wait for the task itself to end, so that its thread is free before the next start.
      if let task, state.withLock({ $0.hasReturned }) { ended = .some(await task.value) }
      let (now, time) = (elapsed(), environment.now())
      let step = state.withLock { $0.next(ended, mailbox, at: now, time, using: &generator) }
      if step.hasJustGoneDown, key.role == .stage { pipeline.bypass(self) }
      // Close the queue before reporting, so that the counts are already final.
      if step.hasJustFinished { mailbox.close() }
      for action in step.actions {
        switch action {
        case .start: task = start(in: pipeline)
        case .cancel: task?.cancel()
        case .report(let error): pipeline.pluginFailed(self, error)
        case .endRun(let error): pipeline.end(.requiredFailed(name: key.name, error))
        case .endInput, .abandon: break
        }
      }
      if step.hasJustFinished { pipeline.propagateEnd() }
      if step.isDone { return }
      if let wait = step.timer {
        timer?.cancel()
        timer = Task { [clock = environment.clock, wake] in
          if (try? await clock.sleep(for: wait)) != nil { wake.yield() }
        }
      }
      guard await wakes.next() != nil else { return }
    }
  }

  private func start(in pipeline: LocationPipeline) -> Task<PluginError?, Never> {
    let (specification, number) = state.withLock { ($0.specification, $0.instance) }
    let work = PluginWork(
      slot: self, number: number, pipeline: pipeline, clock: environment.clock)
    // A sink may block its thread; gates and stages wait asynchronously.
    let executor =
      key.role == .sink && specification.mayBlock
      ? environment.makeSinkExecutor() : environment.executor
    return Task(executorPreference: executor) {
      var failure: PluginError?
      do {
        try await work.run(specification.maker)
        if !self.state.withLock({ $0.hasReceivedEnd }) {
          failure = PluginError(.transient(), "", why: "ended before the end of its input")
        }
      } catch {
        failure = PluginError(error, during: "")
      }
      self.state.withLock { $0.hasReturned = true }
      self.wake.yield()
      return failure
    }
  }
}
