// SPDX-License-Identifier: Apache-2.0

internal import Positioning
internal import Synchronization

/// A plugin's place in a pipeline: its queue, its counts, and the task that supervises its instances.
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
    elapsed = environment.clock.elapsed()
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

  /// Whether the plugin failed or waits for a restart; such stages are bypassed.
  var isDown: Bool { state.withLock { $0.supervision.isDown } }

  // MARK: Calls from the pipeline, which return at once

  /// Puts an event into the queue, unless the plugin has no use for it.
  func send(_ event: any PipelineEvent) {
    let (takes, isFinished) = state.withLock { ($0.specification.takes, $0.supervision.isFinished) }
    guard isFinished || takes(event) else {
      return state.withLock { $0.status.passedOverCount &+= 1 }
    }
    guard mailbox.send(event) == .overflow else { return }
    let limit = mailbox.queue.policy.limit
    let why = "\(limit) events wait, of which none may be lost, and more come"
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

  /// Replaces the instance by one of another specification.
  func replace(_ specification: PluginSpecification) {
    state.withLock { $0.specification = specification }
    mailbox.change(specification.mailbox)
    add(.replace)
  }

  /// Ends the plugin when it has dealt with its queue.
  func leave() {
    let queue = mailbox.queue
    state.withLock { state in
      guard !state.isLeaving else { return }
      state.isLeaving = true
      if state.lostBefore == nil { state.lostBefore = queue.lostCount }
      // A sink that failed is started once more for its queue; a gate or stage is not. Both events
      // come at once: a failure between them would be that of a plugin that is wanted.
      if key.role == .sink, !state.isFinishing { state.add(.finish(hasInput: queue.depth > 0)) }
      state.add(.stop)
    }
    wake.yield()
  }

  /// Ends the plugin at once.
  func cancel() { add(.cancel) }

  /// Counts losses and failures from now on as those of a pipeline that stops.
  func pipelineStops() {
    let lostCount = mailbox.queue.lostCount
    state.withLock { state in
      state.isStopping = true
      if !state.supervision.isFinished { state.lostBefore = lostCount }
    }
  }

  private func add(_ event: PluginSupervision.Event) {
    state.withLock { $0.add(event) }
    wake.yield()
  }

  // MARK: Calls from the instance

  /// Whether what an instance does counts.
  func hears(_ number: UInt64) -> Bool { state.withLock { $0.hears(number) } }

  func beginCall(_ number: UInt64, isEvent: Bool = false) {
    let now = elapsed()
    if state.withLock({ $0.beginCall(number, at: now, isEvent: isEvent) }) { wake.yield() }
  }

  func endCall(_ number: UInt64) { state.withLock { $0.endCall(number) } }

  /// The instance was told that its input is over.
  func sawEnd(_ number: UInt64) {
    state.withLock { if $0.hears(number) { $0.sawEnd = true } }
  }

  /// Counts events that were given on or written.
  func passedOn(_ count: UInt64 = 1, isSuccess: Bool = true) {
    let now = environment.now()
    state.withLock {
      $0.status.outCount &+= count
      if isSuccess { $0.status.lastSuccessAt = now }
    }
  }

  /// Counts a failure.
  func count(_ error: PluginError) {
    let now = environment.now()
    state.withLock { $0.count(error, at: now) }
  }

  // MARK: Counts

  var status: PluginStatus { state.withLock { $0 }.status(mailbox) }

  /// A gate passes a location.
  func gatePasses() { state.withLock { $0.gatePasses() } }

  /// A gate reports that it passes, and how many locations it held.
  func gateReleases(_ count: Int) { state.withLock { $0.gateReleases(count) } }

  /// The error of the plugin while its pipeline stopped; `nil` where its last instance ended well.
  var stopFailure: PluginError? { state.withLock { $0.stopFailure } }

  /// How many events were lost since the plugin was to leave or stop.
  var lostCount: UInt64 {
    let (before, isFinished) = state.withLock { ($0.lostBefore, $0.supervision.isFinished) }
    guard let before else { return 0 }
    let queue = mailbox.queue
    // The queue of a plugin that is over is about to be closed.
    return queue.lostCount &- before &+ (isFinished ? UInt64(queue.depth) : 0)
  }

  /// Adds what went through the plugin.
  func add(to counters: inout PipelineCounters) {
    let dropped = mailbox.queue.droppedCount
    if key.role == .sink {
      counters.dropped &+= dropped &+ (state.withLock { $0.isLeaving } ? lostCount : 0)
    } else {
      counters.conflated &+= dropped
      counters.held &+= state.withLock { $0.heldCount }
    }
  }

  // MARK: The supervising task

  /// Runs instance after instance until the plugin has ended for good.
  func run(in pipeline: LocationPipeline) async {
    // Not a child task: a cancel arrives as an event, so that the task can still wait.
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
      var ended: PluginError??
      // The thread is free when the task is over.
      if let task, state.withLock({ $0.hasReturned }) { ended = .some(await task.value) }
      let (now, time) = (elapsed(), environment.now())
      let step = state.withLock { $0.next(ended, mailbox, at: now, time, using: &generator) }
      if step.isNewlyDown, key.role == .stage { pipeline.passBy(self) }
      // Before anything is reported, so that the counts are complete by then.
      if step.isNewlyOver { mailbox.close() }
      for action in step.actions {
        switch action {
        case .start: task = start(in: pipeline)
        case .cancel: task?.cancel()
        case .report(let error): pipeline.pluginFailed(self, error)
        case .endRun(let error): pipeline.end(.requiredFailed(name: key.name, error))
        case .endInput, .abandon: break
        }
      }
      if step.isNewlyOver { pipeline.passOnEnd() }
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
    // A sink may block its thread; gates and stages wait for others without a thread.
    let executor =
      key.role == .sink && specification.mayBlock
      ? environment.makeSinkExecutor() : environment.executor
    return Task(executorPreference: executor) {
      var failure: PluginError?
      do {
        try await work.run(specification.maker)
        if !self.state.withLock({ $0.sawEnd }) {
          failure = PluginError(.transient(), "", why: "ended while there was more to come")
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
