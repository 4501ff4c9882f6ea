// SPDX-License-Identifier: Apache-2.0

internal import Positioning

/// Decides which plugin receives which event.
///
/// All methods run under one lock, so that every sink receives all events in the same order. They
/// never wait, and call no plugin code except the `takes` filter.
struct PipelineRouting {
  var plan: PipelinePlan
  /// The plugins in the order of the plan.
  var slots: [PluginSlot] = [] {
    didSet {
      branch = slots.filter { $0.key.role != .sink }
      sinks = slots.filter { $0.key.role == .sink }
    }
  }
  /// The gates and stages, in the order that locations pass them.
  private(set) var branch: [PluginSlot] = []
  private(set) var sinks: [PluginSlot] = []
  /// Removed plugins that are still emptying their queues.
  var draining: [PluginSlot] = []
  var isFinishing = false
  /// Whether the pipeline is stopping, within the deadlines of the `StopPolicy`.
  var isStopping = false
  /// Whether sinks no longer wait for gates and stages to end.
  var hasAbandonedBranch = false
  var end: PipelineEnd?
  private var counts = PipelineCounters()

  init(_ plan: PipelinePlan) { self.plan = plan }

  /// The current counts of all plugins.
  var counters: PipelineCounters {
    var counters = counts
    for slot in slots + draining { slot.add(to: &counters) }
    counters.failedSinks = sinks.count { $0.hasFailed }
    return counters
  }

  /// Assigns the next number to a location and routes it.
  mutating func submit(_ location: Location) {
    counts.locations &+= 1
    var event = LocationEvent(location)
    event.number = counts.locations
    send(event)
    var value = EnrichedLocation(location)
    value.number = event.number
    forward(EnrichedEvent(value), from: 0)
  }

  /// Sends an event to the sinks, and counts it if it is a failure.
  mutating func submit(_ event: any PipelineEvent, except slot: PluginSlot? = nil) {
    if event is ErrorEvent || (event as? SourceEvent)?.error != nil { counts.errors &+= 1 }
    send(event, except: slot)
  }

  /// Sends an event to the sinks.
  func send(_ event: any PipelineEvent, except slot: PluginSlot? = nil) {
    for sink in sinks where sink !== slot { sink.send(event) }
  }

  /// Sends the output of a gate or stage to the next gate or stage, or to the sinks.
  ///
  /// The output of a plugin that was removed is dropped.
  mutating func deliver(_ event: EnrichedEvent, from slot: PluginSlot) {
    guard let index = branch.firstIndex(where: { $0 === slot }) else { return }
    forward(event, from: index + 1)
  }

  /// Forwards the queued events of a stage that has just failed to the next stage.
  mutating func bypass(_ slot: PluginSlot) {
    guard let index = branch.firstIndex(where: { $0 === slot }) else { return }
    for case let event as EnrichedEvent in slot.mailbox.takeAll() {
      forward(event, from: index + 1)
    }
  }

  /// Sends an event to the next gate, to the next stage that is not down, or to the sinks.
  private mutating func forward(_ event: EnrichedEvent, from index: Int) {
    for slot in branch[index...] {
      guard slot.key.role == .stage, slot.isDown else { return slot.send(event) }
      // Drop the older event in this stage's queue: sent after a restart, it would arrive at the
      // sinks after the newer event.
      slot.mailbox.dropAll()
    }
    // If no stage is working, nothing was looked up, so there is no enriched event.
    guard branch.contains(where: { $0.key.role == .stage && !$0.isDown }) else { return }
    counts.enriched &+= 1
    send(event)
  }

  /// Counts and publishes an event that a gate or stage reported.
  mutating func report(_ event: any PipelineEvent, from slot: PluginSlot) {
    switch event {
    case let event as LookupEvent:
      switch event {
      case .asked: counts.lookupsAsked &+= 1
      case .answered: counts.lookupsAnswered &+= 1
      case .failed: counts.lookupsFailed &+= 1
      case .postponed: counts.lookupsPostponed &+= 1
      case .abandoned: counts.lookupsAbandoned &+= 1
      }
    case let event as GateEvent:
      if event.verdict == .passes { slot.countGateRelease(event.heldCount) }
      send(event)
    default: submit(event)
    }
  }

  /// Propagates the end of the input to the plugins, after the submitted events.
  ///
  /// The input of each gate or stage ends after the previous gate or stage has ended. The input of
  /// the sinks ends last.
  ///
  /// - Returns: The reason why the run ends now, or `nil` if it continues.
  mutating func propagateEnd() -> PipelineEnd? {
    for slot in draining where slot.isFinished { slot.add(to: &counts) }
    draining.removeAll { $0.isFinished }
    if plan.endsWithoutSinks, !sinks.isEmpty, sinks.allSatisfy({ $0.hasFailed }) {
      return .noSinkLeft
    }
    guard isFinishing else { return nil }
    if !hasAbandonedBranch, let slot = branch.first(where: { !$0.isFinished }) {
      if !isStopping { slot.finish() }
      return nil
    }
    for sink in sinks {
      sink.finish()
      if isStopping { sink.drainAndStop() }
    }
    return draining.isEmpty && sinks.allSatisfy { $0.isFinished } ? .finished : nil
  }
}
