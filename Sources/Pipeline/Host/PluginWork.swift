// SPDX-License-Identifier: Apache-2.0

internal import LocationServices
internal import Synchronization

/// Makes one instance of a plugin and runs it to its end.
struct PluginWork: Sendable {
  let slot: PluginSlot
  let session: PluginSession
  let pipeline: LocationPipeline

  func run(_ maker: PluginSpecification.Maker) async throws {
    switch maker {
    case .gate(let make): try await run(make())
    case .stage(let make): try await run(make())
    case .sink(let make): try await run(make())
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
    do {
      session.watch?.begin()
      try await sink.start()
      while let event = await session.next() {
        do { try await sink.receive(event) } catch {
          // What was not taken is there for the next instance, where its mailbox keeps everything.
          if session.isHeard, !Task.isCancelled {
            slot.mailbox.putBack(event, from: session.number)
          }
          throw error
        }
        guard session.isHeard else { break }
        slot.tally.gaveOn()
        slot.tally.succeeded()
      }
    } catch {
      session.watch?.begin()
      await sink.stop()
      throw error
    }
    session.watch?.begin()
    await sink.stop()
    session.watch?.end()
  }
}
