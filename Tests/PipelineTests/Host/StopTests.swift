// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import LocationServices
import Pipeline
import Positioning
import Testing

/// Pipelines that are told to end, whatever hangs.
@Suite("Plugin host, stopping", .timeLimit(.minutes(5)))
struct StopTests {
  /// Takes one location and asks for no other until it is cancelled, or not even then.
  private struct Asking: Stage {
    let name = "asking"
    let took: EventRecorder<Void>
    let endless: AsyncStream<Never>
    let hearsCancel: Bool
    func run(
      _ input: AsyncStream<EnrichedLocation>,
      deliver: @escaping @Sendable (EnrichedLocation) -> Void,
      report: @escaping @Sendable (any PipelineEvent) -> Void
    ) async {
      for await _ in input {
        took.record(())
        if hearsCancel {
          for await _ in endless {}
        } else {
          await Task { [endless] in for await _ in endless {} }.value
        }
      }
    }
  }

  private let clock = RecordingClock()
  private let sink = ScriptedSink()
  private let took = EventRecorder<Void>()
  /// What a lookup waits for.
  private let answer = AsyncStream.makeStream(of: Never.self)

  private func pipeline(_ plugins: [PluginSpecification]) -> LocationPipeline {
    LocationPipeline(
      PipelinePlan(plugins),
      environment: PipelineEnvironment(
        clock: clock,
        stop: StopPolicy(drain: .seconds(3), cancel: .seconds(2), branch: .seconds(1))))
  }

  private func asking(hearsCancel: Bool) -> PluginSpecification {
    PluginSpecification(
      "asking",
      .stage { [took, endless = answer.stream] in
        Asking(took: took, endless: endless, hearsCancel: hearsCancel)
      })
  }

  private func location(_ number: Int) -> Location { Location(coordinate: .at(Double(number), 0)) }

  @Test("nobody waits for a lookup, and sinks get all that came before")
  func lookup() async {
    let pipeline = pipeline([
      asking(hearsCancel: true), PluginSpecification("sink", sink.maker),
    ])
    async let run = pipeline.run()
    for number in 1...3 { pipeline.submit(location(number)) }
    await took.wait(for: 1)
    // The clock stands still: nothing here waits for a deadline.
    pipeline.stop()
    #expect(await run == .finished)
    #expect(sink.taken == [1, 2, 3] && sink.calls.events.last == .stopped(1))
    #expect(pipeline.stopFailures.isEmpty)
    answer.continuation.finish()
  }

  @Test("a stage that does not come back holds up no sink, and the end no longer than its deadline")
  func deafStage() async throws {
    let pipeline = pipeline([
      asking(hearsCancel: false), PluginSpecification("sink", sink.maker),
    ])
    async let run = pipeline.run()
    pipeline.submit(location(1))
    await took.wait(for: 1)
    pipeline.stop()
    await clock.deadlines.wait { $0.contains(.seconds(1)) && $0.contains(.seconds(2)) }
    clock.base.advance(by: .seconds(1))
    await sink.calls.wait { $0.contains(.stopped(1)) }
    clock.base.advance(by: .seconds(1))
    #expect(await run == .finished)
    #expect(sink.taken == [1])
    #expect(pipeline.status.first?.abandonedCount == 1)
    answer.continuation.finish()
  }

  @Test("a sink that does not come back is cancelled, left to itself, and told of")
  func deafSink() async throws {
    let deaf = ScriptedSink([.hangs])
    let pipeline = pipeline([PluginSpecification("deaf", deaf.maker)])
    async let run = pipeline.run()
    for number in 1...3 { pipeline.submit(location(number)) }
    await deaf.calls.wait { $0.contains(.refused(1, by: 1)) }
    pipeline.stop()
    await clock.deadlines.wait { $0.contains(.seconds(3)) }
    clock.base.advance(by: .seconds(3))
    await clock.deadlines.wait { $0.contains(.seconds(5)) }
    clock.base.advance(by: .seconds(2))
    #expect(await run == .finished)
    let failure = try #require(pipeline.stopFailures[PluginKey(.sink, "deaf")])
    #expect(failure.description == "had not ended 3.0 seconds after the end of its input")
    #expect(pipeline.status.first?.droppedCount == 3)
    #expect(pipeline.stopLosses == [PluginKey(.sink, "deaf"): 3])
    deaf.release.yield()
  }

  @Test("what waits for a sink with new settings is not lost where all is to stop meanwhile")
  func replaced() async {
    let slow = ScriptedSink([.blocks])
    let plan = ["old", "new"].map { settings in
      PipelinePlan([
        PluginSpecification(
          "slow", slow.maker,
          settings: settings,
          mailbox: .dropOldest(limit: 9))
      ])
    }
    let pipeline = LocationPipeline(
      plan[0],
      environment: PipelineEnvironment(
        clock: clock,
        stop: StopPolicy(drain: .seconds(6), cancel: .seconds(4), branch: .seconds(1))))
    async let run = pipeline.run()
    for number in 1...3 { pipeline.submit(location(number)) }
    await slow.calls.wait { $0.contains(.refused(1, by: 1)) }
    pipeline.apply(plan[1])
    await clock.deadlines.wait { $0.contains(.seconds(6)) }
    pipeline.stop()
    await clock.deadlines.wait { $0.contains(.seconds(3)) }
    clock.base.advance(by: .seconds(3))
    #expect(await run == .finished)
    #expect(slow.taken == [2, 3] && slow.calls.events.last == .stopped(2))
    // What the first was interrupted at.
    #expect(pipeline.stopLosses == [PluginKey(.sink, "slow"): 1])
    #expect(pipeline.stopFailures.isEmpty)
  }

  @Test("a failure while it stops is taken back where the next instance ends well")
  func recovered() async {
    let busy = ScriptedSink([.failsLater(PluginError(.transient(), "", why: "busy"))])
    let pipeline = pipeline([
      asking(hearsCancel: false),
      PluginSpecification("busy", busy.maker, mailbox: .dropNewest(limit: 9)),
      PluginSpecification("sink", sink.maker),
    ])
    async let run = pipeline.run()
    pipeline.submit(location(1))
    await took.wait(for: 1)
    await busy.calls.wait { $0.contains(.refused(1, by: 1)) }
    pipeline.stop()
    await clock.deadlines.wait { $0.contains(.seconds(1)) && $0.contains(.seconds(2)) }
    busy.release.yield()
    await sink.calls.wait { $0.contains { $0.isHeard } }
    #expect(pipeline.stopFailures.keys.map(\.name) == ["busy"])
    // Sinks wait for the stage no longer.
    clock.base.advance(by: .seconds(2))
    #expect(await run == .finished)
    #expect(busy.taken == [1])
    #expect(pipeline.stopFailures.isEmpty && pipeline.stopLosses.isEmpty)
    answer.continuation.finish()
  }

  @Test("a sink that was left out before is not told of when all is to stop")
  func leftOut() async {
    let sink = ScriptedSink([.fails(PluginError(.unsupported, "", why: "not here"))])
    let pipeline = pipeline([
      PluginSpecification("out", sink.maker), PluginSpecification("sink", self.sink.maker),
    ])
    async let run = pipeline.run()
    pipeline.submit(location(1))
    // When the other hears of it, it is left out.
    await self.sink.calls.wait { $0.contains { $0.isHeard } }
    pipeline.stop()
    #expect(await run == .finished)
    #expect(pipeline.stopFailures.isEmpty && pipeline.stopLosses.isEmpty)
  }

  @Test("by default the whole takes no longer than the daemon is given")
  func total() { #expect(StopPolicy().total <= .seconds(10)) }
}
