// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Where everything goes: which plugins there are, in order, and what has gone through.
///
/// All of it is done under one lock, so that every sink gets everything in the same order; nothing
/// of it waits, and of a plugin nothing is called but what says which events it takes, at once.
struct PipelineRouting {
  var plan: PipelinePlan
  /// In the order of the plan.
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
  /// Those that are not wanted any more and still deal with what waited before them.
  var leaving: [PluginSlot] = []
  var isFinishing = false
  /// Whether the end is not to take longer than its deadlines.
  var isStopping = false
  /// Whether sinks do not wait for gates and stages any more.
  var isBranchLeft = false
  /// What of each plugin went wrong while it was to stop.
  var stopFailures: [PluginKey: PluginError] = [:]
  /// How many events each sink had lost when all was told to stop; of those that were still there.
  var lostBeforeStop: [PluginKey: UInt64] = [:]
  var end: PipelineEnd?
  private var counts = PipelineCounters()

  init(_ plan: PipelinePlan) { self.plan = plan }

  /// How many locations have come in.
  var locationCount: UInt64 { counts.locations }

  /// Counts one more.
  mutating func counters(_ count: WritableKeyPath<PipelineCounters, UInt64>) {
    counts[keyPath: count] &+= 1
  }

  /// What has gone through so far.
  var counters: PipelineCounters {
    var counters = counts
    for slot in slots + leaving { slot.add(to: &counters) }
    counters.failedSinks = sinks.count { $0.hasFailed }
    return counters
  }

  /// Gives an event to the sinks.
  func send(_ event: any PipelineEvent, except slot: PluginSlot? = nil) {
    for sink in sinks where sink !== slot { sink.send(event) }
  }

  /// Gives an event to the sinks, and counts it where it is a failure.
  mutating func submit(_ event: any PipelineEvent, except slot: PluginSlot? = nil) {
    if event is ErrorEvent || (event as? SourceEvent)?.error != nil { counters(\.errors) }
    send(event, except: slot)
  }

  /// Gives a location to the first plugin of the branch, or to the one behind a gate.
  ///
  /// What comes from a gate that is not there any more goes nowhere.
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

  /// Gives what a stage is done with to the next, or to the sinks.
  mutating func deliver(_ event: EnrichedEvent, from slot: PluginSlot) {
    guard let index = stages.firstIndex(where: { $0 === slot }) else { return }
    goOn(event, from: index + 1)
  }

  /// Gives what waits before a stage that has just gone down to those behind it.
  mutating func passBy(_ slot: PluginSlot) {
    guard let index = stages.firstIndex(where: { $0 === slot }) else { return }
    for case let event as EnrichedEvent in slot.mailbox.takeAll() { goOn(event, from: index + 1) }
  }

  /// Gives an event to the next stage that is not down, or to the sinks.
  ///
  /// What waits before one that is down is older, and goes for it: none overtakes another.
  private mutating func goOn(_ event: EnrichedEvent, from index: Int) {
    for stage in stages[index...] {
      guard stage.isDown else { return stage.send(event) }
      stage.mailbox.dropAll()
    }
    // Where there is none that works, nobody has looked anything up.
    guard stages.contains(where: { !$0.isDown }) else { return }
    counters(\.enriched)
    send(event)
  }

  /// Takes what a gate or stage has to tell.
  mutating func report(_ event: any PipelineEvent, from slot: PluginSlot) {
    switch event {
    case let event as LookupEvent:
      switch event {
      case .asked: counters(\.lookupsAsked)
      case .answered: counters(\.lookupsAnswered)
      case .failed: counters(\.lookupsFailed)
      case .postponed: counters(\.lookupsPostponed)
      case .abandoned: counters(\.lookupsAbandoned)
      }
    case let event as GateEvent:
      let complete = slot.gateTally.withLock { $0.tell(event, dropped: slot.mailbox.droppedCount) }
      if complete.verdict == .passes { counts.held &+= UInt64(max(complete.heldCount, 0)) }
      send(complete)
    default: submit(event)
    }
  }

  /// Takes note of a location that has passed a gate.
  mutating func passed(_ slot: PluginSlot) {
    counts.held &+= slot.gateTally.withLock { $0.pass(dropped: slot.mailbox.droppedCount) }
  }

  /// Tells how many a gate holds that has seen its last.
  func tellLast(of slot: PluginSlot) {
    let last = slot.gateTally.withLock { $0.last(dropped: slot.mailbox.droppedCount) }
    if let last { send(last) }
  }

  /// Lets the end of the input travel on behind what has gone before: a plugin of the branch sees it
  /// when the one before is done, and the sinks see it last.
  ///
  /// - Returns: Why the run ends now, where it does.
  mutating func passOnEnd() -> PipelineEnd? {
    // What went through them stays counted.
    for slot in leaving where slot.isOver { slot.add(to: &counts) }
    leaving.removeAll { $0.isOver }
    if plan.endsWithoutSinks, !sinks.isEmpty, sinks.allSatisfy({ $0.hasFailed }) {
      return .noSinkLeft
    }
    guard isFinishing else { return nil }
    if !isBranchLeft, let slot = (gates + stages).first(where: { !$0.isOver }) {
      if !isStopping { slot.finish() }
      return nil
    }
    for sink in sinks {
      sink.finish()
      if isStopping { sink.leave() }
    }
    return leaving.isEmpty && sinks.allSatisfy { $0.isOver } ? .finished : nil
  }
}
