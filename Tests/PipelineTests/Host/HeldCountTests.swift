// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import LocationServices
import Pipeline
import Positioning
import Testing

/// How many locations gates hold.
@Suite("Plugin host, what is held", .timeLimit(.minutes(5)))
struct HeldCountTests {
  private typealias Slow = LocationPipelineTests.Slow

  /// Holds all, says so once, and tells when it is done with each.
  private struct Shut: Gate {
    let name = "shut"
    let taken: EventRecorder<Void>
    func run(
      _ input: AsyncStream<Location>, pass: @escaping @Sendable (Location) -> Void,
      report: @escaping @Sendable (any PipelineEvent) -> Void
    ) async {
      var isTold = false
      for await _ in input {
        if !isTold {
          report(GateEvent(gate: name, verdict: .holds(reason: "shut"), heldCount: 1))
        }
        isTold = true
        taken.record(())
      }
    }
  }

  private struct Verdicts: Sink {
    let name = "verdicts"
    let told: EventRecorder<GateEvent>
    func receive(_ event: any PipelineEvent) async throws {
      if let event = event as? GateEvent { told.record(event) }
    }
  }

  private let told = EventRecorder<GateEvent>()

  private var sink: PluginSpecification {
    PluginSpecification("verdicts", .sink { [told] in Verdicts(told: told) })
  }

  private func location(_ number: Int) -> Location { Location(coordinate: .at(Double(number), 0)) }

  @Test("each location that a gate holds counts, though it says once that it holds")
  func each() async {
    let taken = EventRecorder<Void>()
    let pipeline = LocationPipeline(
      PipelinePlan([PluginSpecification("shut", .gate { Shut(taken: taken) }), sink]))
    async let run = pipeline.run()
    for number in 1...5 {
      pipeline.submit(location(number))
      await taken.wait(for: number)
    }
    pipeline.finish()
    #expect(await run == .finished)
    #expect(pipeline.counters.held == 5)
    // The last count is told when it has seen its last.
    #expect(told.events.map(\.heldCount) == [1, 5])
  }

  @Test("a gate that is taken away has held what it has, and another of its name begins anew")
  func takenAway() async {
    let (permits, permit) = AsyncStream.makeStream(of: Bool.self)
    let (others, other) = AsyncStream.makeStream(of: Bool.self)
    let pipeline = LocationPipeline(
      PipelinePlan([PluginSpecification("slow", .gate { Slow(permits: permits) }), sink]))
    for number in 1...5 { pipeline.submit(location(number)) }
    async let run = pipeline.run()
    permit.yield(true)
    await told.wait { $0.count == 2 }
    pipeline.submit(location(6))
    permit.yield(false)
    await told.wait { $0.count == 3 }
    #expect(pipeline.counters.held == 6)
    pipeline.apply(PipelinePlan([sink]))
    #expect(pipeline.counters.held == 6 && pipeline.counters.conflated == 0)
    permit.finish()
    pipeline.apply(
      PipelinePlan([PluginSpecification("slow", .gate { Slow(permits: others) }), sink]))
    for number in 7...9 { pipeline.submit(location(number)) }
    other.yield(false)
    await told.wait { $0.count == 4 }
    #expect(told.events.map(\.heldCount) == [5, 5, 1, 3])
    pipeline.finish()
    other.finish()
    #expect(await run == .finished)
    #expect(pipeline.counters.held == 9 && pipeline.counters.conflated == 0)
  }
}
