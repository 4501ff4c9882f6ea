// SPDX-License-Identifier: Apache-2.0

internal import Positioning
internal import Synchronization

/// A plugin's place in a pipeline: its mailbox, its counts, and the instance that works there now.
final class PluginSlot: Sendable {
  private struct State {
    var specification: PluginSpecification
    var supervision: PluginSupervision
    var isLeaving = false
    var isFinishing = false
    /// Whether the instance was condemned for its full mailbox: once is enough.
    var isCondemned = false
    /// When the last instance was told to stop at once.
    var cancelledAt: MonotonicTime?
    /// How many it had lost when it was not wanted any more.
    var lostBeforeLeaving: UInt64?
  }

  let key: PluginKey
  let mailbox: Mailbox
  let tally: PluginTally
  /// What a gate holds; with its mailbox, whose drops it counts by.
  let gateTally = Mutex(GateTally())
  private let environment: PipelineEnvironment
  private let state: Mutex<State>
  private let inbox = PluginInbox()

  init(_ key: PluginKey, _ specification: PluginSpecification, _ environment: PipelineEnvironment) {
    self.key = key
    self.environment = environment
    mailbox = Mailbox(specification.mailbox)
    tally = PluginTally(now: environment.now)
    state = Mutex(
      State(
        specification: specification,
        supervision: PluginSupervision(
          restart: specification.restart, stop: environment.stop,
          isRequired: specification.isRequired)))
    inbox.send(.supervision(.begin))
  }

  var specification: PluginSpecification { state.withLock { $0.specification } }

  /// How much of what happened to it found no room before who decides about it: nothing, ever.
  var untoldCount: UInt64 { inbox.droppedCount }

  /// Whether it is over with it, unless its settings change.
  var isOver: Bool { state.withLock { $0.supervision.isOver } }

  /// Whether it is left out for what went wrong.
  var hasFailed: Bool {
    if case .failed = state.withLock({ $0.supervision.phase }) { true } else { false }
  }

  /// Whether it is left out or waits: a stage is gone past meanwhile.
  var isDown: Bool { state.withLock { $0.supervision.phase.isDown } }

  /// Puts an event before it, unless it passes over such; returns at once.
  func send(_ event: any PipelineEvent) {
    let (takes, isOver) = state.withLock {
      ($0.specification.takes, $0.supervision.isOver)
    }
    guard isOver || takes(event) else { return tally.passedOver() }
    guard mailbox.send(event) == .overflow,
      !state.withLock({ exchange(&$0.isCondemned) })
    else { return }
    let error = PluginError(
      .permanent, "mailbox",
      why: "\(mailbox.queue.policy.limit) events wait, of which none may be lost, and more come")
    inbox.send(.supervision(.condemned(error)))
  }

  /// Nothing more comes in.
  func finish() {
    guard !state.withLock({ exchange(&$0.isFinishing) }) else { return }
    mailbox.finish()
    inbox.send(.supervision(.finish(hasInput: mailbox.depth > 0)))
  }

  /// Another instance is wanted, by another specification.
  func replace(_ specification: PluginSpecification) {
    state.withLock { $0.specification = specification }
    mailbox.change(specification.mailbox)
    inbox.send(.supervision(.replace))
  }

  /// It is not wanted any more, when it is done with what waits.
  func leave() {
    let lostCount = mailbox.lostCount
    let (wasLeaving, isFinishing) = state.withLock { state in
      if !state.isLeaving { state.lostBeforeLeaving = lostCount }
      return (exchange(&state.isLeaving), state.isFinishing)
    }
    guard !wasLeaving else { return }
    // What waits for a sink that has failed, or has new settings, is for one more instance. Gates and
    // stages of which there is nothing to come are not started for it.
    let waits = key.role == .sink && !isFinishing
    inbox.send(.supervision(waits ? .leave(hasInput: mailbox.depth > 0) : .stop))
  }

  /// It is to end at once.
  func cancel() { inbox.send(.supervision(.cancel)) }

  /// Runs instance after instance until it has stopped for good.
  func run(in pipeline: LocationPipeline) async {
    // No child of the task: a cancel comes to it as an event, so that it can still wait.
    let loop = Task { await supervise(in: pipeline) }
    await withTaskCancellationHandler {
      await loop.value
    } onCancel: {
      cancel()
    }
  }

  private func supervise(in pipeline: LocationPipeline) async {
    var generator = environment.makeGenerator()
    var now = Now()
    defer { inbox.close() }
    for await event in inbox.events {
      inbox.took(event)
      let decision: PluginSupervision.Event
      switch event {
      case .supervision(.timerOver(let number)): decision = timerOver(number, now.session)
      case .supervision(let event): decision = event
      case .ended(let number, _) where number == now.abandoned:
        // As below: its thread is free when the task is over.
        await now.task?.value
        mailbox.lose(number, isFinal: true)
        now.abandoned = nil
        decision = .returned
      // Of an instance that was given up.
      case .ended(let number, _) where number != now.session?.number: continue
      case .overdue(let number) where number != now.session?.number: continue
      case .ended(_, let error):
        // It has said so as its last word: nothing of it is left afterwards.
        await now.task?.value
        giveUp(&now, isFinal: true)
        decision = .ended(error)
      case .overdue:
        tally.timedOut()
        decision = .condemned(overdue)
      }
      let (actions, before, after) = state.withLock { state in
        if decision == .replace {
          state.supervision.restart = state.specification.restart
          state.supervision.isRequired = state.specification.isRequired
        }
        let before = state.supervision.phase
        let actions = state.supervision.handle(decision, using: &generator)
        return (actions, before, state.supervision.phase)
      }
      let isNewlyOver = before != after && isOver
      if key.role == .stage, after.isDown, !before.isDown { pipeline.passBy(self) }
      // First, so that whoever hears of it finds the counts complete.
      if isNewlyOver { mailbox.close() }
      for action in actions { perform(action, &now, pipeline) }
      if isNewlyOver {
        now.timer?.cancel()
        pipeline.pluginChanged(self)
      }
      // What is left out may yet be replaced, until it is not wanted any more.
      if after == .stopped || decision.isLast, isOver { return }
    }
  }

  /// A healthy while is none where it was spent inside a call that has not returned.
  private func timerOver(
    _ number: UInt64, _ session: PluginSession?
  ) -> PluginSupervision.Event {
    guard let watch = session?.watch, let wanted = state.withLock({ $0.supervision.healthyAfter })
    else { return .timerOver(number) }
    let rest = wanted - watch.provenTime
    return rest > .zero ? .unproven(number, lacking: rest) : .timerOver(number)
  }

  /// What is under way.
  private struct Now {
    var count: UInt64 = 0
    var session: PluginSession?
    /// The last task: of the session, or of the one that was abandoned.
    var task: Task<Void, Never>?
    /// The session that was left to itself and is still inside a call.
    var abandoned: UInt64?
    var watcher: Task<Void, Never>?
    var timer: Task<Void, Never>?
  }

  private var overdue: PluginError {
    let limit = specification.timeout.map { "\($0)" } ?? ""
    return PluginError(.transient(), "", why: "one event took longer than \(limit)")
  }

  private func perform(
    _ action: PluginSupervision.Action, _ now: inout Now, _ pipeline: LocationPipeline
  ) {
    switch action {
    case .start:
      pipeline.pluginStarts(self)
      start(&now, pipeline)
    case .endInput:
      // Who leaves takes along what waits; else it is for the one that comes after.
      if state.withLock({ $0.isLeaving }) { mailbox.finish() } else { mailbox.endReading() }
    case .cancel:
      mailbox.endReading()
      now.task?.cancel()
      let time = environment.now()
      state.withLock { $0.cancelledAt = time }
    case .abandon:
      now.abandoned = now.session?.number
      giveUp(&now, isFinal: false)
    case .startTimer(let number, let duration):
      now.timer?.cancel()
      now.timer = Task { [environment, inbox] in
        guard (try? await environment.clock.sleep(for: duration)) != nil else { return }
        inbox.send(.supervision(.timerOver(number)))
      }
    case .tell(let error, _):
      tally.failed(error)
      pipeline.pluginFailed(self, error)
    case .stopAll(let error): pipeline.end(.requiredFailed(name: key.name, error))
    }
  }

  /// Nothing that the present instance says counts any more.
  ///
  /// What it has in its hands does where nothing may be lost, until its call returns: it may yet
  /// have been written, and would be written twice.
  private func giveUp(_ now: inout Now, isFinal: Bool) {
    guard let session = now.session else { return }
    session.silence()
    now.watcher?.cancel()
    mailbox.lose(session.number, isFinal: isFinal)
    now.session = nil
  }

  private func start(_ now: inout Now, _ pipeline: LocationPipeline) {
    now.count += 1
    let specification = state.withLock { state in
      state.isCondemned = false
      return state.specification
    }
    let watch = specification.timeout.map { CallWatch(timeout: $0, clock: environment.clock) }
    let session = PluginSession(now.count, mailbox: mailbox, tally: tally, watch: watch)
    mailbox.reopen()
    mailbox.beginReading(session.number)
    now.session = session
    let work = PluginWork(
      slot: self, session: session, pipeline: pipeline, clock: environment.clock)
    // Sinks write, and writing may block; gates and stages wait for others without a thread.
    let executor =
      key.role == .sink && specification.mayBlock
      ? environment.makeSinkExecutor() : environment.executor
    now.task = Task(executorPreference: executor) { [inbox] in
      var failure: PluginError?
      do {
        try await work.run(specification.maker)
        if !session.sawEnd {
          failure = PluginError(
            .transient(), "", why: "ended while there was more to come")
        }
      } catch {
        failure = PluginError(error, during: "")
      }
      inbox.send(.ended(session: session.number, failure))
    }
    now.watcher = watch.map { watch in
      Task { [inbox] in
        if await watch.run() { inbox.send(.overdue(session: session.number)) }
      }
    }
  }

  /// Adds what went through it.
  func add(to counters: inout PipelineCounters) {
    let dropped = mailbox.droppedCount
    guard key.role != .sink else {
      counters.dropped &+= dropped &+ lostSinceLeaving
      return
    }
    let (held, heldDrops) = gateTally.withLock {
      ($0.held(dropped: dropped), $0.heldDrops(dropped: dropped))
    }
    counters.held &+= held
    counters.conflated &+= dropped - min(dropped, heldDrops)
  }

  /// How many it has not dealt with since it was not wanted any more, which no status tells.
  private var lostSinceLeaving: UInt64 {
    let (before, isOver) = state.withLock { ($0.lostBeforeLeaving, $0.supervision.isOver) }
    guard let before else { return 0 }
    let queue = mailbox.queue
    // What waits where it is over is about to be lost.
    return queue.lostCount &- before &+ (isOver ? UInt64(queue.depth) : 0)
  }

  /// How it stands, and what went through it.
  var status: PluginStatus {
    let (specification, supervision, cancelledAt) = state.withLock {
      ($0.specification, $0.supervision, $0.cancelledAt)
    }
    let (counts, queue) = (tally.counts, mailbox.queue)
    var status = PluginStatus(
      role: key.role, name: key.name, state: PluginStatus.State(supervision.phase),
      isRequired: specification.isRequired)
    status.inCount = counts.inCount
    status.passedOverCount = counts.passedOverCount
    status.outCount = counts.outCount
    status.droppedCount = queue.droppedCount &+ queue.lostCount
    status.errorCount = counts.errorCount
    status.restartCount = supervision.restartCount
    status.timeoutCount = counts.timeoutCount
    status.abandonedCount = supervision.abandonedCount
    if supervision.phase == .blocked { status.blockedSince = cancelledAt }
    status.queueDepth = queue.depth
    status.laidByCount = mailbox.laidByCount
    status.queueHighWater = queue.highWater
    status.queueLimit = queue.policy.limit
    status.lastError = counts.lastError
    status.lastErrorAt = counts.lastErrorAt
    status.lastSuccessAt = counts.lastSuccessAt
    return status
  }
}

extension PluginSupervision.Event {
  /// Whether nothing is expected of it afterwards.
  fileprivate var isLast: Bool {
    switch self {
    case .stop, .cancel, .leave: true
    default: false
    }
  }
}

extension PluginSupervision.Phase {
  /// Whether there is nobody to take anything, for a while or for good.
  fileprivate var isDown: Bool {
    switch self {
    case .waiting, .blocked, .failed: true
    case .idle, .running, .ending, .stopped: false
    }
  }
}

extension PluginStatus.State {
  init(_ phase: PluginSupervision.Phase) {
    self =
      switch phase {
      case .running, .ending: .running
      case .waiting: .waiting
      case .blocked: .blocked
      case .failed: .failed
      case .idle, .stopped: .stopped
      }
  }
}

/// Sets a flag; whether it was set.
private func exchange(_ flag: inout Bool) -> Bool {
  defer { flag = true }
  return flag
}
