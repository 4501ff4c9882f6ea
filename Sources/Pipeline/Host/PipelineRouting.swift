// SPDX-License-Identifier: Apache-2.0

internal import Positioning

/// Decides which plugin gets which event.
///
/// All of it runs under one lock, so that every sink gets all events in the same order. Nothing here
/// waits; of a plugin only its `takes` is called.
struct PipelineRouting {
  var plan: PipelinePlan
  /// The plugins in the order of the plan.
  var slots: [PluginSlot] = [] {
    didSet {
      gates = slots.filter { $0.key.role == .gate }
      stages = slots.filter { $0.key.role == .stage }
      sinks = slots.filter { $0.key.role == .sink }
    }
  }
  private(set) var gates: [PluginSlot] = []
  private(set) var stages: [PluginSlot] = []
  private(set) var sinks: [PluginSlot] = []
  /// Removed plugins that still drain their queues.
  var leaving: [PluginSlot] = []
  var isFinishing = false
  /// Whether the end is to come within its deadlines.
  var isStopping = false
  /// Whether sinks do not wait for gates and stages any more.
  var isBranchLeft = false
  var end: PipelineEnd?
  private var counts = PipelineCounters()

  init(_ plan: PipelinePlan) { self.plan = plan }

  /// What went through so far.
  var counters: PipelineCounters {
    var counters = counts
    for slot in slots + leaving { slot.add(to: &counters) }
    counters.failedSinks = sinks.count { $0.hasFailed }
    return counters
  }

  /// Takes a location, which gets the next number.
  mutating func submit(_ location: Location) {
    counts.locations &+= 1
    var event = LocationEvent(location)
    event.number = counts.locations
    send(event)
    enter(event, after: nil)
  }

  /// Gives an event to the sinks, and counts it where it is a failure.
  mutating func submit(_ event: any PipelineEvent, except slot: PluginSlot? = nil) {
    if event is ErrorEvent || (event as? SourceEvent)?.error != nil { counts.errors &+= 1 }
    send(event, except: slot)
  }

  /// Gives an event to the sinks.
  func send(_ event: any PipelineEvent, except slot: PluginSlot? = nil) {
    for sink in sinks where sink !== slot { sink.send(event) }
  }

  /// Gives a location to the first plugin of the branch, or to the plugin behind a gate.
  ///
  /// A location of a gate that was removed goes nowhere.
  mutating func enter(_ event: LocationEvent, after slot: PluginSlot?) {
    var next = 0
    if let slot {
      guard let index = gates.firstIndex(where: { $0 === slot }) else { return }
      next = index + 1
    }
    if next < gates.count {
      gates[next].send(event)
    } else {
      var value = EnrichedLocation(event.location)
      value.number = event.number
      goOn(EnrichedEvent(value), from: 0)
    }
  }

  /// Gives the result of a stage to the next stage, or to the sinks.
  mutating func deliver(_ event: EnrichedEvent, from slot: PluginSlot) {
    guard let index = stages.firstIndex(where: { $0 === slot }) else { return }
    goOn(event, from: index + 1)
  }

  /// Gives what waits before a stage that has gone down to those behind it.
  mutating func passBy(_ slot: PluginSlot) {
    guard let index = stages.firstIndex(where: { $0 === slot }) else { return }
    for case let event as EnrichedEvent in slot.mailbox.takeAll() { goOn(event, from: index + 1) }
  }

  /// Gives an event to the next stage that is not down, or to the sinks.
  private mutating func goOn(_ event: EnrichedEvent, from index: Int) {
    for stage in stages[index...] {
      guard stage.isDown else { return stage.send(event) }
      // What waits there is older, and must not overtake this event later.
      stage.mailbox.dropAll()
    }
    // Where no stage works, nothing was looked up.
    guard stages.contains(where: { !$0.isDown }) else { return }
    counts.enriched &+= 1
    send(event)
  }

  /// Takes a report of a gate or stage.
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
      if event.verdict == .passes { slot.gateReleases(event.heldCount) }
      send(event)
    default: submit(event)
    }
  }

  /// Lets the end of the input travel on behind what was submitted before: each plugin of the branch
  /// sees it when the one before has ended, and the sinks see it last.
  ///
  /// - Returns: Why the run ends now; `nil` where it does not.
  mutating func passOnEnd() -> PipelineEnd? {
    for slot in leaving where slot.isFinished { slot.add(to: &counts) }
    leaving.removeAll { $0.isFinished }
    if plan.endsWithoutSinks, !sinks.isEmpty, sinks.allSatisfy({ $0.hasFailed }) {
      return .noSinkLeft
    }
    guard isFinishing else { return nil }
    if !isBranchLeft, let slot = (gates + stages).first(where: { !$0.isFinished }) {
      if !isStopping { slot.finish() }
      return nil
    }
    for sink in sinks {
      sink.finish()
      if isStopping { sink.leave() }
    }
    return leaving.isEmpty && sinks.allSatisfy { $0.isFinished } ? .finished : nil
  }
}
