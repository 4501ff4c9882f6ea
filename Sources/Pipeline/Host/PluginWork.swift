// SPDX-License-Identifier: Apache-2.0

/// Creates one instance of a plugin and runs it until it ends.
struct PluginWork: Sendable {
  let slot: PluginSlot
  /// The number of the instance.
  let number: UInt64
  let pipeline: LocationPipeline
  let clock: any Clock<Duration>

  private var mailbox: Mailbox { slot.mailbox }

  func run(_ maker: PluginSpecification.Maker) async throws {
    switch maker {
    case .gate(let make): try await run(make())
    case .stage(let make): try await run(make())
    case .sink(let make):
      let notice = PluginNotice { slot.count(PluginError(.transient(), "", why: $0)) }
      try await PluginNotice.$current.withValue(notice) { try await run(make()) }
    }
  }

  /// Ends the current call, waits for the next event, and begins a new call.
  private func next(within limit: Duration? = nil) async -> Mailbox.Input {
    slot.endCall(number)
    let input = await mailbox.next(for: number, within: limit, on: clock)
    switch input {
    case .event: slot.beginCall(number, isEvent: true)
    case .timeout: slot.beginCall(number)
    case .end: slot.recordEndOfInput(number)
    }
    return input
  }

  /// Completes the previous location, and waits for the next one.
  private func nextLocation() async -> EnrichedLocation? {
    if mailbox.settle(number) > 0, slot.key.role == .gate { slot.countOutput(0) }
    while case .event(let event) = await next() {
      if let event = event as? EnrichedEvent { return event.value }
    }
    return nil
  }

  private func report(_ event: any PipelineEvent) {
    guard slot.isActive(number) else { return }
    // The plugin continues, but its status shows the error.
    if let error = event as? ErrorEvent {
      slot.count(PluginError(.transient(), "", why: error.message))
    }
    pipeline.report(event, from: slot)
  }

  // MARK: Gates

  private func run(_ gate: some Gate) async throws {
    try await gate.run(
      AsyncStream { await nextLocation() },
      pass: { value in
        guard slot.isActive(number) else { return }
        slot.countOutput(isSuccess: false)
        pipeline.deliver(value, from: slot)
      },
      report: { event in
        // Use the name in the plan, which is unique even if the same gate is configured twice.
        guard var renamed = event as? GateEvent else { return report(event) }
        renamed.gate = slot.key.name
        report(renamed)
      })
  }

  // MARK: Stages

  private func run(_ stage: some Stage) async throws {
    try await stage.run(
      AsyncStream { await nextLocation() },
      deliver: { value in
        guard slot.isActive(number) else { return }
        slot.countOutput()
        pipeline.deliver(value, from: slot)
      }, report: { report($0) })
  }

  // MARK: Sinks

  private func run(_ sink: some Sink) async throws {
    slot.setSink(sink, number)
    do {
      slot.beginCall(number)
      try await sink.start()
      try await write(to: sink)
    } catch {
      mailbox.putBack(from: number)
      slot.beginCall(number)
      await sink.stop()
      throw error
    }
    slot.beginCall(number)
    await sink.stop()
    slot.endCall(number)
  }

  /// Passes events to a sink until the input ends or the instance is abandoned.
  private func write(to sink: some Sink) async throws {
    let batching = sink as? any BatchingSink
    var batch: SinkBatch?
    repeat {
      switch await next(within: batch?.remaining) {
      case .event(let event): try await sink.receive(event)
      case .timeout:
        guard let wait = await batching?.batch.remaining, wait <= .zero else { continue }
        try await batching?.write()
      case .end:
        slot.beginCall(number)
        try await batching?.write()
        return settle(keeping: 0)
      }
      batch = await batching?.batch
      settle(keeping: batch?.count ?? 0)
    } while slot.isActive(number)
  }

  private func settle(keeping count: Int) {
    let settled = mailbox.settle(number, keeping: count)
    if settled > 0 { slot.countOutput(UInt64(settled)) }
  }
}
