// SPDX-License-Identifier: Apache-2.0

internal import LocationServices
public import Positioning
internal import Synchronization

/// The machine that locations go through: at once to the sinks, and on a branch through gates and
/// stages, whose results arrive at the sinks when they arrive.
///
/// Each plugin is looked after: started again with back-off where it failed, cancelled where it does
/// not come back, left out where it is broken for good. None holds up another, or who submits.
public final class LocationPipeline: Sendable {
  private enum Command: Sendable {
    case run(PluginSlot)
    case end
  }

  let state: Mutex<PipelineRouting>
  private let environment: PipelineEnvironment
  private let commands: AsyncStream<Command>
  private let command: AsyncStream<Command>.Continuation

  /// Makes a pipeline that does nothing until ``run()``.
  ///
  /// - Parameters:
  ///   - plan: Which plugins it has.
  ///   - environment: What it measures time and throws dice by.
  public init(_ plan: PipelinePlan, environment: PipelineEnvironment = PipelineEnvironment()) {
    self.environment = environment
    (commands, command) = AsyncStream.makeStream()
    var routing = PipelineRouting(plan)
    for (key, specification) in plan.keyed {
      let slot = PluginSlot(key, specification, environment)
      routing.slots.append(slot)
      command.yield(.run(slot))
    }
    state = Mutex(routing)
  }

  /// Makes a pipeline of plugins that are there already, for whoever sees them fail: what fails once
  /// is left out, nothing has a deadline, and the run ends without a sink left.
  ///
  /// - Parameters:
  ///   - gates: What stands before the stages, in order.
  ///   - stages: What looks things up, in order.
  ///   - sinks: Where everything ends up.
  ///   - sinkLimit: How many events wait before each sink; beyond, its oldest go and are counted.
  public convenience init(
    gates: [any Gate] = [], stages: [any Stage] = [], sinks: [any Sink], sinkLimit: Int = 1024
  ) {
    var plugins = gates.map { gate in
      PluginSpecification(gate.name, .gate { gate }, restart: .never)
    }
    plugins += stages.map { stage in
      PluginSpecification(stage.name, .stage { stage }, restart: .never)
    }
    plugins += sinks.map { sink in
      PluginSpecification(
        sink.name, .sink { sink }, mailbox: .dropOldest(limit: sinkLimit), restart: .never)
    }
    for index in plugins.indices { plugins[index].timeout = nil }
    self.init(PipelinePlan(plugins, endsWithoutSinks: true))
  }

  /// What has gone through so far.
  public var counters: PipelineCounters { state.withLock { $0.counters } }

  /// How each plugin stands: gates and stages in their order, then sinks.
  public var status: [PluginStatus] {
    state.withLock { $0.gates + $0.stages + $0.sinks }.map(\.status)
  }

  /// Takes a location; returns at once.
  public func submit(_ location: Location) {
    state.withLock { state in
      state.counters(\.locations)
      var event = LocationEvent(location)
      event.number = state.locationCount
      state.send(event)
      state.enter(event, after: nil)
    }
  }

  /// Takes an event for the sinks; returns at once.
  public func submit(_ event: any PipelineEvent) { state.withLock { $0.submit(event) } }

  /// Waits until every sink that is not left out has dealt with all that it was given.
  ///
  /// For sources that can wait, such as a recording: what is fed in turns with this never fills a
  /// mailbox, so that nothing is lost. Gates and stages are not waited for, since before them only
  /// the newest location counts. Returns at once when the task is cancelled.
  public func waitUntilDrained() async {
    for sink in state.withLock({ $0.sinks }) { await sink.mailbox.waitUntilEmpty() }
  }

  /// Ends the input; ``run()`` then returns when all that waits has gone through.
  public func finish() {
    state.withLock { $0.isFinishing = true }
    goOn()
  }

  /// Ends the input, and ``run()`` within the deadlines of the `StopPolicy`: for whoever is told to
  /// end, and has to.
  ///
  /// Nobody waits for a lookup: gates and stages are cancelled. Sinks get what was there before, and
  /// one that is not done with it in time is cancelled; see ``stopFailures``.
  public func stop() {
    let branch = state.withLock { state -> [PluginSlot] in
      guard !state.isStopping else { return [] }
      (state.isFinishing, state.isStopping) = (true, true)
      for sink in state.sinks where !sink.isOver {
        state.lostBeforeStop[sink.key] = sink.mailbox.lostCount
      }
      return state.gates + state.stages
    }
    for slot in branch { slot.cancel() }
    Task { [weak self, environment] in
      let wait = environment.stop.branch
      guard (try? await environment.clock.sleep(for: wait)) != nil else { return }
      self?.state.withLock { $0.isBranchLeft = true }
      self?.goOn()
    }
    goOn()
  }

  /// What went wrong of a plugin while it was to stop, which no sink can be told any more.
  public var stopFailures: [PluginKey: PluginError] { state.withLock { $0.stopFailures } }

  /// How many events each sink lost while it was to stop; only those that lost any.
  ///
  /// A sink that had been left out before is none of them.
  package var stopLosses: [PluginKey: UInt64] {
    state.withLock { state in
      var losses: [PluginKey: UInt64] = [:]
      for sink in state.sinks {
        guard let before = state.lostBeforeStop[sink.key] else { continue }
        let lost = sink.mailbox.lostCount &- before
        if lost > 0 { losses[sink.key] = lost }
      }
      return losses
    }
  }

  /// Changes to another plan while it runs: what is the same goes on untouched, and misses nothing.
  ///
  /// What waits before a plugin that is replaced waits for the new one; what waits before one that
  /// is not wanted any more it still gets, up to its deadline.
  ///
  /// - Parameter plan: The plan.
  /// - Returns: What changes. It has begun when this returns.
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
    goOn()
    return changes
  }

  /// Runs the plugins until the input has ended and gone through, none is left to run for, one that
  /// is required is left out, or the task is cancelled; once only.
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

  /// Takes it that a plugin has stopped or is left out.
  func pluginChanged(_ slot: PluginSlot) {
    state.withLock { state in
      if slot.key.role == .gate, slot.isOver { state.tellLast(of: slot) }
    }
    goOn()
  }

  /// Takes it that a plugin is started: how the end goes is for this instance to say.
  func pluginStarts(_ slot: PluginSlot) { state.withLock { $0.stopFailures[slot.key] = nil } }

  /// Tells the others that a plugin has failed.
  func pluginFailed(_ slot: PluginSlot, _ error: PluginError) {
    state.withLock {
      if $0.isStopping { $0.stopFailures[slot.key] = error }
      $0.submit(ErrorEvent(source: slot.key.name, message: "\(error)"), except: slot)
    }
  }

  /// A location that a gate lets go on.
  func pass(_ location: Location, number: UInt64?, from slot: PluginSlot) {
    var event = LocationEvent(location)
    event.number = number
    state.withLock { state in
      state.passed(slot)
      state.enter(event, after: slot)
    }
  }

  /// A location that a stage is done with.
  func deliver(_ value: EnrichedLocation, from slot: PluginSlot) {
    state.withLock { $0.deliver(EnrichedEvent(value), from: slot) }
  }

  /// A stage that is down from now on.
  func passBy(_ slot: PluginSlot) { state.withLock { $0.passBy(slot) } }

  /// What a gate or stage has to tell.
  func report(_ event: any PipelineEvent, from slot: PluginSlot) {
    state.withLock { $0.report(event, from: slot) }
  }

  /// Lets the end of the input travel on behind what has gone before, and ends what has no more to
  /// do.
  private func goOn() {
    if let end = state.withLock({ $0.passOnEnd() }) { self.end(end) }
  }
}
