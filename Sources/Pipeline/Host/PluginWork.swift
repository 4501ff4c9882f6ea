// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Makes one instance of a plugin and runs it to its end.
struct PluginWork: Sendable {
  let slot: PluginSlot
  let session: PluginSession
  let pipeline: LocationPipeline
  let clock: any Clock<Duration>

  func run(_ maker: PluginSpecification.Maker) async throws {
    switch maker {
    case .gate(let make): try await run(make())
    case .stage(let make): try await run(make())
    case .sink(let make):
      let sink = try make()
      if let sink = sink as? any BatchingSink {
        try await run(batching: sink)
      } else {
        try await run(sink)
      }
    }
  }

  private func report(_ event: any PipelineEvent) {
    guard session.isHeard else { return }
    // What it says that went wrong stands in its status, though it goes on.
    if let error = event as? ErrorEvent {
      slot.tally.failed(PluginError(.transient(), "", why: error.message))
    }
    pipeline.report(event, from: slot)
  }

  private func run(_ gate: some Gate) async throws {
    let input = AsyncStream {
      if session.holdsLast() { slot.gateTally.withLock { $0.hold() } }
      return await session.nextLocation()
    }
    try await gate.run(
      input,
      pass: { location in
        guard session.isHeard else { return }
        slot.tally.gaveOn()
        pipeline.pass(location, number: session.passed(location), from: slot)
      },
      report: { event in
        // Under the name it has here, where the same gate may stand twice.
        guard var told = event as? GateEvent else { return report(event) }
        told.gate = slot.key.name
        report(told)
      })
  }

  private func run(_ stage: some Stage) async throws {
    let input = AsyncStream { await session.nextValue() }
    try await stage.run(
      input,
      deliver: { value in
        guard session.isHeard else { return }
        slot.tally.gaveOn()
        slot.tally.succeeded()
        pipeline.deliver(value, from: slot)
      }, report: { report($0) })
  }

  private func run(_ sink: some Sink) async throws {
    try await closing(sink) {
      while let event = await session.next() {
        try await sink.receive(event)
        session.settle()
        guard session.isHeard else { break }
      }
    }
  }

  /// Starts a sink, does something with it, and stops it, whatever happens in between.
  private func closing(_ sink: some Sink, _ body: () async throws -> Void) async throws {
    do {
      session.watch?.begin()
      try await sink.start()
      try await body()
    } catch {
      // What was not taken, or not written, is there for the next instance.
      session.putBack()
      session.watch?.begin()
      await sink.stop()
      throw error
    }
    session.watch?.begin()
    await sink.stop()
    session.watch?.end()
  }

  private func run(batching sink: some BatchingSink) async throws {
    var timer: Task<Void, Never>?
    defer { timer?.cancel() }
    session.beginBatches()
    try await closing(sink) {
      while let event = await session.next() {
        if let wake = event as? WakeEvent {
          if wake.isTimerOver { timer = nil }
          let remaining = await sink.batch.remaining
          if wake.writesNow || remaining.map({ $0 <= .zero }) == true { try await sink.write() }
        } else {
          try await sink.receive(event)
        }
        let batch = await sink.batch
        session.settle(keeping: batch.count)
        guard session.isHeard else { break }
        if timer == nil, let remaining = batch.remaining {
          timer = session.wake(after: max(remaining, .zero), on: clock)
        }
      }
      session.watch?.begin()
      try await sink.write()
      session.settle()
    }
  }
}
