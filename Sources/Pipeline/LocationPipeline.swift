// SPDX-License-Identifier: Apache-2.0

public import Positioning
internal import Synchronization

/// Routes events to plugins and supervises the plugins.
///
/// A location is sent to the sinks immediately, and also to a branch of gates and stages, whose
/// results reach the sinks later.
///
/// Each plugin has a bounded queue, a deadline for each call and a restart policy. A slow, failing
/// or stuck plugin delays neither another plugin nor the caller.
public final class LocationPipeline: Sendable {
  private enum Command: Sendable {
    case run(PluginSlot)
    case end
  }

  private let state: Mutex<PipelineRouting>
  private let environment: PipelineEnvironment
  private let commands: AsyncStream<Command>
  private let command: AsyncStream<Command>.Continuation

  /// Creates a pipeline that does nothing until ``run()``.
  public init(_ plan: PipelinePlan, environment: PipelineEnvironment = PipelineEnvironment()) {
    self.environment = environment
    (commands, command) = AsyncStream.makeStream()
    state = Mutex(PipelineRouting(PipelinePlan([])))
    apply(plan)
  }

  /// Creates a pipeline of existing plugins, for interactive programs.
  ///
  /// A failed plugin is not restarted, calls have no deadline, and the run ends when every sink has
  /// failed.
  ///
  /// - Parameters:
  ///   - gates: The gates before the stages, in order.
  ///   - stages: The stages, in order.
  ///   - sinks: The sinks.
  ///   - sinkLimit: The maximum number of events that wait for each sink. If more events arrive,
  ///     the oldest events are dropped and counted.
  public convenience init(
    gates: [any Gate] = [], stages: [any Stage] = [], sinks: [any Sink], sinkLimit: Int = 1024
  ) {
    self.init(
      branch: gates.map { gate in PluginSpecification(gate.name, .gate { gate }) }
        + stages.map { stage in PluginSpecification(stage.name, .stage { stage }) },
      sinks: sinks, sinkLimit: sinkLimit)
  }

  /// Creates a pipeline like ``init(gates:stages:sinks:sinkLimit:)``, with gates and stages in any
  /// order.
  package convenience init(
    branch: [PluginSpecification], sinks: [any Sink], sinkLimit: Int = 1024
  ) {
    var plugins = branch
    plugins += sinks.map { sink in
      PluginSpecification(sink.name, .sink { sink }, mailbox: .dropOldest(limit: sinkLimit))
    }
    for index in plugins.indices {
      plugins[index].restart = .never
      plugins[index].timeout = nil
    }
    self.init(PipelinePlan(plugins, endsWithoutSinks: true))
  }

  /// The counts of events and failures so far.
  public var counters: PipelineCounters { state.withLock { $0.counters } }

  /// The status of each plugin: gates and stages in their order, then sinks.
  public var status: [PluginStatus] {
    state.withLock { $0.branch + $0.sinks }.map(\.status)
  }

  /// Submits a location; returns immediately.
  public func submit(_ location: Location) { state.withLock { $0.submit(location) } }

  /// Submits an event to the sinks; returns immediately.
  public func submit(_ event: any PipelineEvent) { state.withLock { $0.submit(event) } }

  /// Waits until every sink has processed all events so far, except sinks that have failed.
  ///
  /// For sources that can wait, such as a recording: calling this method after each submit keeps
  /// the sinks' queues from overflowing. The method does not wait for gates and stages, and returns
  /// immediately when the task is cancelled.
  public func waitUntilDrained() async {
    for sink in state.withLock({ $0.sinks }) { await sink.mailbox.waitUntilEmpty() }
  }

  /// Ends the input; ``run()`` returns once all queues are empty.
  public func finish() {
    state.withLock { $0.isFinishing = true }
    propagateEnd()
  }

  /// Ends the input, and ends ``run()`` within the deadlines of the `StopPolicy`.
  ///
  /// Gates and stages are cancelled, including their lookups. Sinks still process their queues, but
  /// a sink that misses the deadline is cancelled. See ``stopFailures``.
  public func stop() {
    let branch = state.withLock { state -> [PluginSlot] in
      guard !state.isStopping else { return [] }
      (state.isFinishing, state.isStopping) = (true, true)
      for slot in state.slots { slot.beginPipelineStop() }
      return state.branch
    }
    for slot in branch { slot.cancel() }
    Task { [weak self, environment] in
      let wait = environment.stop.branch
      guard (try? await environment.clock.sleep(for: wait)) != nil else { return }
      self?.state.withLock { $0.hasAbandonedBranch = true }
      self?.propagateEnd()
    }
    propagateEnd()
  }

  /// The errors of plugins that failed while the pipeline stopped, when sinks could no longer
  /// report errors.
  public var stopFailures: [PluginKey: PluginError] {
    slotValues { slots in slots.compactMap { slot in slot.stopFailure.map { (slot.key, $0) } } }
  }

  /// The number of events that each sink lost while the pipeline stopped; sinks without losses are
  /// absent.
  package var stopLosses: [PluginKey: UInt64] {
    slotValues { slots in
      slots.filter { $0.key.role == .sink && $0.lostCount > 0 }.map { ($0.key, $0.lostCount) }
    }
  }

  private func slotValues<Value>(
    _ values: ([PluginSlot]) -> [(PluginKey, Value)]
  ) -> [PluginKey: Value] {
    Dictionary(values(state.withLock { $0.slots })) { first, _ in first }
  }

  /// Changes the plan of a running pipeline.
  ///
  /// Unchanged plugins continue and miss no events.
  ///
  /// The new instance of a replaced plugin inherits the queue. A removed plugin processes the
  /// events in its queue until the stop deadline.
  ///
  /// - Parameter plan: The new plan.
  /// - Returns: The differences between the plans. The method does not wait until the changes take
  ///   effect.
  @discardableResult
  public func apply(_ plan: PipelinePlan) -> PlanChanges {
    let (changes, draining, replaced) = state.withLock { state in
      let changes = state.plan.changes(to: plan)
      let oldSlots = Dictionary(state.slots.map { ($0.key, $0) }) { first, _ in first }
      var replaced: [(PluginSlot, PluginSpecification)] = []
      state.slots = plan.keyed.map { key, specification in
        guard let slot = oldSlots[key] else {
          let slot = PluginSlot(key, specification, environment)
          command.yield(.run(slot))
          return slot
        }
        if changes.replaced.contains(key) { replaced.append((slot, specification)) }
        return slot
      }
      state.plan = plan
      let draining = changes.removed.compactMap { oldSlots[$0] }
      state.draining += draining
      return (changes, draining, replaced)
    }
    for (slot, specification) in replaced { slot.replace(specification) }
    for slot in draining { slot.drainAndStop() }
    propagateEnd()
    return changes
  }

  /// Runs the plugins; must be called only once.
  ///
  /// Returns when the input has ended and all queues are empty, when every sink has failed and the
  /// plan sets `endsWithoutSinks`, when a required plugin fails permanently, or when the task is
  /// cancelled.
  @discardableResult
  public func run() async -> PipelineEnd {
    await withDiscardingTaskGroup { group in
      loop: for await command in commands {
        switch command {
        case .run(let slot): group.addTask { await slot.run(in: self) }
        case .end: break loop
        }
      }
      group.cancelAll()
    }
    return state.withLock { $0.end } ?? .cancelled
  }

  /// Ends the run.
  ///
  /// The first reason is kept if this method is called repeatedly.
  func end(_ end: PipelineEnd) {
    state.withLock { $0.end = $0.end ?? end }
    command.yield(.end)
  }

  /// Reports a failed plugin to the sinks, except to the plugin itself.
  func pluginFailed(_ slot: PluginSlot, _ error: PluginError) {
    state.withLock {
      $0.submit(ErrorEvent(source: slot.key.name, message: "\(error)"), except: slot)
    }
  }

  /// Routes a location that a gate has passed or a stage has processed.
  func deliver(_ value: EnrichedLocation, from slot: PluginSlot) {
    state.withLock { state in
      if slot.key.role == .gate { slot.countGatePass() }
      state.deliver(EnrichedEvent(value), from: slot)
    }
  }

  /// Forwards the queued events of a stage that has just failed to the next stage.
  func bypass(_ slot: PluginSlot) { state.withLock { $0.bypass(slot) } }

  /// Handles an event that a gate or stage reported.
  func report(_ event: any PipelineEvent, from slot: PluginSlot) {
    state.withLock { $0.report(event, from: slot) }
  }

  /// Propagates the end of the input, and ends the run once nothing is left to do.
  func propagateEnd() {
    if let end = state.withLock({ $0.propagateEnd() }) { self.end(end) }
  }
}
