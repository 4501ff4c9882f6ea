// SPDX-License-Identifier: Apache-2.0

internal import LocationServices
public import Positioning
internal import Synchronization

/// A host for plugins: gives each location to the sinks at once, and to a branch of gates and stages
/// whose results reach the sinks when they arrive.
///
/// Each plugin has a bounded queue, a deadline for each call and a restart policy. A slow, failing or
/// stuck plugin delays neither another plugin nor the caller.
public final class LocationPipeline: Sendable {
  private enum Command: Sendable {
    case run(PluginSlot)
    case end
  }

  private let state: Mutex<PipelineRouting>
  private let environment: PipelineEnvironment
  private let commands: AsyncStream<Command>
  private let command: AsyncStream<Command>.Continuation

  /// Makes a pipeline that does nothing until ``run()``.
  ///
  /// - Parameters:
  ///   - plan: The plugins.
  ///   - environment: The clocks, deadlines and threads.
  public init(_ plan: PipelinePlan, environment: PipelineEnvironment = PipelineEnvironment()) {
    self.environment = environment
    (commands, command) = AsyncStream.makeStream()
    state = Mutex(PipelineRouting(PipelinePlan([])))
    apply(plan)
  }

  /// Makes a pipeline of existing plugins, for callers who see them fail: a plugin that fails is not
  /// restarted, calls have no deadline, and the run ends when no sink is left.
  ///
  /// - Parameters:
  ///   - gates: The gates before the stages, in order.
  ///   - stages: The stages, in order.
  ///   - sinks: The sinks.
  ///   - sinkLimit: How many events wait before each sink; the oldest beyond are dropped and counted.
  public convenience init(
    gates: [any Gate] = [], stages: [any Stage] = [], sinks: [any Sink], sinkLimit: Int = 1024
  ) {
    var plugins = gates.map { gate in PluginSpecification(gate.name, .gate { gate }) }
    plugins += stages.map { stage in PluginSpecification(stage.name, .stage { stage }) }
    plugins += sinks.map { sink in
      PluginSpecification(sink.name, .sink { sink }, mailbox: .dropOldest(limit: sinkLimit))
    }
    for index in plugins.indices {
      plugins[index].restart = .never
      plugins[index].timeout = nil
    }
    self.init(PipelinePlan(plugins, endsWithoutSinks: true))
  }

  /// The number of events that went through so far.
  public var counters: PipelineCounters { state.withLock { $0.counters } }

  /// The status of each plugin: gates and stages in their order, then sinks.
  public var status: [PluginStatus] {
    state.withLock { $0.gates + $0.stages + $0.sinks }.map(\.status)
  }

  /// Takes a location; returns at once.
  public func submit(_ location: Location) { state.withLock { $0.submit(location) } }

  /// Takes an event for the sinks; returns at once.
  public func submit(_ event: any PipelineEvent) { state.withLock { $0.submit(event) } }

  /// Waits until every sink that has not failed has dealt with all events so far.
  ///
  /// For sources that can wait, such as a recording: no queue overflows when each submit is followed
  /// by this. Gates and stages are not waited for. Returns at once when the task is cancelled.
  public func waitUntilDrained() async {
    for sink in state.withLock({ $0.sinks }) { await sink.mailbox.waitUntilEmpty() }
  }

  /// Ends the input; ``run()`` then returns when all queues are empty.
  public func finish() {
    state.withLock { $0.isFinishing = true }
    passOnEnd()
  }

  /// Ends the input, and ``run()`` within the deadlines of the `StopPolicy`.
  ///
  /// Gates and stages are cancelled: lookups are not waited for. Sinks get what was submitted before;
  /// one that is not done in time is cancelled. See ``stopFailures``.
  public func stop() {
    let branch = state.withLock { state -> [PluginSlot] in
      guard !state.isStopping else { return [] }
      (state.isFinishing, state.isStopping) = (true, true)
      for slot in state.slots { slot.pipelineStops() }
      return state.gates + state.stages
    }
    for slot in branch { slot.cancel() }
    Task { [weak self, environment] in
      let wait = environment.stop.branch
      guard (try? await environment.clock.sleep(for: wait)) != nil else { return }
      self?.state.withLock { $0.isBranchLeft = true }
      self?.passOnEnd()
    }
    passOnEnd()
  }

  /// The error of each plugin that failed while the pipeline stopped, which no sink can report.
  public var stopFailures: [PluginKey: PluginError] {
    slotValues { slots in slots.compactMap { slot in slot.stopFailure.map { (slot.key, $0) } } }
  }

  /// The number of events that each sink lost while the pipeline stopped, where it lost any.
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

  /// Changes the plan of a running pipeline: unchanged plugins go on and miss nothing.
  ///
  /// The new instance of a replaced plugin gets what waited before the old one. A removed plugin still
  /// gets what waits, up to its deadline.
  ///
  /// - Parameter plan: The plan.
  /// - Returns: The changes, which have begun.
  @discardableResult
  public func apply(_ plan: PipelinePlan) -> PlanChanges {
    let (changes, leaving, replaced) = state.withLock { state in
      let changes = state.plan.changes(to: plan)
      let before = Dictionary(state.slots.map { ($0.key, $0) }) { first, _ in first }
      var replaced: [(PluginSlot, PluginSpecification)] = []
      state.slots = plan.keyed.map { key, specification in
        guard let slot = before[key] else {
          let slot = PluginSlot(key, specification, environment)
          command.yield(.run(slot))
          return slot
        }
        if changes.replaced.contains(key) { replaced.append((slot, specification)) }
        return slot
      }
      state.plan = plan
      let leaving = changes.removed.compactMap { before[$0] }
      state.leaving += leaving
      return (changes, leaving, replaced)
    }
    for (slot, specification) in replaced { slot.replace(specification) }
    for slot in leaving { slot.leave() }
    passOnEnd()
    return changes
  }

  /// Runs the plugins until the input has ended and all queues are empty, no sink is left where the
  /// plan needs one, a required plugin fails permanently, or the task is cancelled; once only.
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

  /// Ends the run; the first reason stays.
  func end(_ end: PipelineEnd) {
    state.withLock { $0.end = $0.end ?? end }
    command.yield(.end)
  }

  /// Tells the other plugins of a failure.
  func pluginFailed(_ slot: PluginSlot, _ error: PluginError) {
    state.withLock {
      $0.submit(ErrorEvent(source: slot.key.name, message: "\(error)"), except: slot)
    }
  }

  /// Takes a location that a gate passes.
  func pass(_ location: Location, number: UInt64?, from slot: PluginSlot) {
    var event = LocationEvent(location)
    event.number = number
    state.withLock { state in
      slot.gatePasses()
      state.enter(event, after: slot)
    }
  }

  /// Takes a location that a stage is done with.
  func deliver(_ value: EnrichedLocation, from slot: PluginSlot) {
    state.withLock { $0.deliver(EnrichedEvent(value), from: slot) }
  }

  /// Bypasses a stage that is down from now on.
  func passBy(_ slot: PluginSlot) { state.withLock { $0.passBy(slot) } }

  /// Takes a report of a gate or stage.
  func report(_ event: any PipelineEvent, from slot: PluginSlot) {
    state.withLock { $0.report(event, from: slot) }
  }

  /// Lets the end of the input travel on, and ends the run where nothing is left to do.
  func passOnEnd() {
    if let end = state.withLock({ $0.passOnEnd() }) { self.end(end) }
  }
}
