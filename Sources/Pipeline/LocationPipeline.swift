// SPDX-License-Identifier: Apache-2.0

public import LocationServices
internal import Synchronization

/// The machine that locations go through: at once to the sinks, and on a branch through gates and
/// stages, whose results arrive at the sinks when they arrive.
public final class LocationPipeline: Sendable {
  private let gates: [any Gate]
  private let stages: [any Stage]
  private let sinks: [any Sink]
  /// One before each gate, and one behind the last.
  private let gateMailboxes: [Mailbox<Location>]
  /// One before each stage.
  private let stageMailboxes: [Mailbox<EnrichedLocation>]
  private let sinkMailboxes: [Mailbox<any PipelineEvent>]
  /// What each sink still has to deal with.
  private let backlogs: [Backlog]
  private let counts = Mutex(PipelineCounters())
  /// What each gate holds, by its name.
  private let tallies = Mutex<[String: GateTally]>([:])

  /// Makes a pipeline that does nothing until ``run()``.
  ///
  /// - Parameters:
  ///   - gates: What stands before the stages, in order.
  ///   - stages: What looks things up, in order.
  ///   - sinks: Where everything ends up.
  ///   - sinkLimit: How many events wait before each sink; beyond, its oldest go and are counted.
  public init(
    gates: [any Gate] = [], stages: [any Stage] = [], sinks: [any Sink], sinkLimit: Int = 1024
  ) {
    self.gates = gates
    self.stages = stages
    self.sinks = sinks
    // Before a lookup only the newest location means anything.
    gateMailboxes = gates.map { _ in Mailbox(limit: 1) }
    stageMailboxes = stages.map { _ in Mailbox(limit: 1) }
    sinkMailboxes = sinks.map { _ in Mailbox(limit: sinkLimit) }
    backlogs = sinks.map { _ in Backlog() }
  }

  /// What has gone through so far.
  public var counters: PipelineCounters {
    var counters = counts.withLock { $0 }
    counters.conflated =
      gateMailboxes.reduce(0) { $0 + $1.droppedCount }
      + stageMailboxes.reduce(0) { $0 + $1.droppedCount }
    tallies.withLock { tallies in
      for (name, tally) in tallies {
        let dropped = droppedCount(before: name)
        counters.held &+= tally.held(dropped: dropped)
        // Newer ones may have been dropped since the sum above.
        counters.conflated -= min(counters.conflated, tally.heldDrops(dropped: dropped))
      }
    }
    counters.dropped = sinkMailboxes.reduce(0) { $0 + $1.droppedCount }
    return counters
  }

  /// Takes a location; returns at once.
  ///
  /// - Parameter location: The location.
  public func submit(_ location: Location) {
    counts.withLock { $0.locations &+= 1 }
    submit(LocationEvent(location))
    if gates.isEmpty { enter(location) } else { gateMailboxes[0].send(location) }
  }

  /// Takes an event for the sinks; returns at once.
  ///
  /// - Parameter event: The event.
  public func submit(_ event: any PipelineEvent) {
    if event is ErrorEvent || (event as? SourceEvent)?.error != nil {
      counts.withLock { $0.errors &+= 1 }
    }
    for (mailbox, backlog) in zip(sinkMailboxes, backlogs) {
      // Before it can be read, so that it is never settled before it was counted.
      backlog.add()
      if !mailbox.send(event) { backlog.settle() }
    }
  }

  /// Waits until every sink that still works has dealt with all that it was given.
  ///
  /// For sources that can wait, such as a recording: what is fed in turns with this never fills a
  /// mailbox, so that nothing is lost. Gates and stages are not waited for, since before them only
  /// the newest location counts. Returns at once when the task is cancelled.
  public func waitUntilDrained() async {
    for backlog in backlogs { await backlog.waitUntilEmpty() }
  }

  /// Ends the input; ``run()`` then returns when all that waits has gone through.
  public func finish() {
    if let first = gateMailboxes.first {
      first.finish()
    } else if let first = stageMailboxes.first {
      first.finish()
    } else {
      for mailbox in sinkMailboxes { mailbox.finish() }
    }
  }

  /// Runs gates, stages and sinks until the input has ended and gone through, every sink has
  /// failed, or the task is cancelled.
  public func run() async {
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await self.runSinks() }
      group.addTask {
        await self.runBranch()
        // A pipeline without a branch ends with `finish()`.
        if !self.gates.isEmpty || !self.stages.isEmpty {
          for mailbox in self.sinkMailboxes { mailbox.finish() }
        }
      }
      // Without a sink left there is nothing to run for; without a branch there still is.
      for _ in 0..<2 {
        await group.next()
        let areSinksGone = counts.withLock { $0.failedSinks } == sinks.count
        if areSinksGone, !sinks.isEmpty { group.cancelAll() }
      }
    }
  }

  /// What comes out of the last gate, or goes past where there is none.
  private func enter(_ location: Location) {
    stageMailboxes.first?.send(EnrichedLocation(location))
  }

  private func runBranch() async {
    await withTaskGroup(of: Void.self) { group in
      let report: @Sendable (any PipelineEvent) -> Void = { self.report($0) }
      for (index, gate) in gates.enumerated() {
        group.addTask {
          await gate.run(
            self.gateMailboxes[index].elements,
            pass: { location in
              let dropped = self.gateMailboxes[index].droppedCount
              self.tallies.withLock { $0[gate.name, default: GateTally()].pass(dropped: dropped) }
              if index + 1 < self.gates.count {
                self.gateMailboxes[index + 1].send(location)
              } else {
                self.enter(location)
              }
            }, report: report)
          let dropped = self.gateMailboxes[index].droppedCount
          let last = self.tallies.withLock { $0[gate.name]?.last(dropped: dropped) }
          if let last { self.submit(last) }
          // The end travels on, behind what has gone before.
          if index + 1 < self.gates.count {
            self.gateMailboxes[index + 1].finish()
          } else {
            self.stageMailboxes.first?.finish()
          }
        }
      }
      for (index, stage) in stages.enumerated() {
        group.addTask {
          await stage.run(
            self.stageMailboxes[index].elements,
            deliver: { value in
              if index + 1 < self.stages.count {
                self.stageMailboxes[index + 1].send(value)
              } else {
                self.counts.withLock { $0.enriched &+= 1 }
                self.submit(EnrichedEvent(value))
              }
            }, report: report)
          if index + 1 < self.stages.count { self.stageMailboxes[index + 1].finish() }
        }
      }
    }
  }

  private func report(_ event: any PipelineEvent) {
    if let event = event as? LookupEvent {
      counts.withLock { counts in
        switch event {
        case .asked: counts.lookupsAsked &+= 1
        case .answered: counts.lookupsAnswered &+= 1
        case .failed: counts.lookupsFailed &+= 1
        case .postponed: counts.lookupsPostponed &+= 1
        }
      }
      return
    }
    if let event = event as? GateEvent {
      let dropped = droppedCount(before: event.gate)
      let complete = tallies.withLock {
        $0[event.gate, default: GateTally()].tell(event, dropped: dropped)
      }
      if complete.verdict == .passes {
        counts.withLock { $0.held &+= UInt64(max(complete.heldCount, 0)) }
      }
      submit(complete)
    } else {
      submit(event)
    }
  }

  /// How many locations were replaced before a gate got to see them.
  private func droppedCount(before gate: String) -> UInt64 {
    zip(gates, gateMailboxes).first { $0.0.name == gate }?.1.droppedCount ?? 0
  }

  private func runSinks() async {
    await withTaskGroup(of: Void.self) { group in
      for (index, sink) in sinks.enumerated() {
        let (mailbox, backlog) = (sinkMailboxes[index], backlogs[index])
        group.addTask {
          defer { backlog.close() }
          for await event in mailbox.elements {
            defer { backlog.settle() }
            do {
              try await sink.receive(event)
            } catch {
              // One broken sink stays one broken sink: the others are told.
              self.counts.withLock { $0.failedSinks += 1 }
              mailbox.finish()
              self.submit(ErrorEvent(source: sink.name, message: "\(error)"))
              return
            }
          }
        }
      }
    }
  }
}
