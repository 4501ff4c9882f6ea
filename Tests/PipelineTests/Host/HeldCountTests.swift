// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import LocationServices
import Pipeline
import Positioning
import Testing

/// The count of locations that gates hold.
@Suite("Plugin host, held locations", .timeLimit(.minutes(5)))
struct HeldCountTests {
  /// Passes and reports every fifth location; holds all other locations.
  private var fifth: FakeStage {
    FakeStage(name: "fifth") { [taken] input, pass, report in
      var heldCount = 0
      for await value in input {
        heldCount += 1
        if heldCount == 1 {
          report(GateEvent(gate: "fifth", verdict: .holds(reason: "not yet"), heldCount: 1))
        } else if heldCount == 5 {
          report(GateEvent(gate: "fifth", verdict: .passes, heldCount: 4))
          pass(value)
          heldCount = 0
        }
        taken.record(())
      }
    }
  }

  private let taken = EventRecorder<Void>()

  private func submit(_ numbers: ClosedRange<Int>, to pipeline: LocationPipeline) async {
    for number in numbers {
      pipeline.submit(.at(Double(number)))
      await taken.wait(for: number)
    }
  }

  @Test func `a held location is counted once, even if the gate later releases it or is removed`() async {
    let pipeline = LocationPipeline(PipelinePlan([PluginSpecification("fifth", .gate { [fifth] in fifth })]))
    async let run = pipeline.run()
    await submit(1...4, to: pipeline)
    #expect(pipeline.counters.held == 4)
    await submit(5...5, to: pipeline)
    #expect(pipeline.counters.held == 4)
    await submit(6...8, to: pipeline)
    #expect(pipeline.counters.held == 7)
    pipeline.apply(PipelinePlan([]))
    #expect(pipeline.counters.held == 7 && pipeline.counters.conflated == 0)
    pipeline.finish()
    #expect(await run == .finished)
    #expect(pipeline.counters.held == 7)
  }
}
