// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import LocationServices
import Pipeline
import Positioning
import Testing

/// Pipelines that stop while a plugin hangs.
@Suite("Plugin host, stopping", .timeLimit(.minutes(5)))
struct StopTests {
  /// Receives one location, then waits until it is cancelled or, if it ignores the cancel, until
  /// the test ends.
  private func asking(respectsCancel: Bool) -> PluginSpecification {
    let stage = FakeStage(name: "asking") { [took, endless = reply.stream] input, _, _ in
      for await _ in input {
        took.record(())
        if respectsCancel {
          for await _ in endless {}
        } else {
          await Task { for await _ in endless {} }.value
        }
      }
    }
    return PluginSpecification("asking", .stage { stage })
  }

  private let clock = RecordingClock()
  private let sink = ScriptedSink()
  private let took = EventRecorder<Void>()
  /// The reply that the lookup waits for.
  private let reply = AsyncStream.makeStream(of: Never.self)

  private func pipeline(_ plugins: [PluginSpecification]) -> LocationPipeline {
    LocationPipeline(
      PipelinePlan(plugins),
      environment: PipelineEnvironment(
        clock: clock,
        stop: StopPolicy(drain: .seconds(3), cancel: .seconds(2), branch: .seconds(1))))
  }

  @Test func `stopping a pipeline does not wait for a lookup, and sinks receive all earlier locations`() async {
    let pipeline = pipeline([
      asking(respectsCancel: true), PluginSpecification("sink", sink.maker),
    ])
    async let run = pipeline.run()
    for number in 1...3 { pipeline.submit(.at(Double(number))) }
    await took.wait(for: 1)
    // The clock does not advance: nothing waits for a deadline.
    pipeline.stop()
    #expect(await run == .finished)
    #expect(sink.taken == [1, 2, 3] && sink.calls.events.last == .stopped(1))
    #expect(pipeline.stopFailures.isEmpty)
    reply.continuation.finish()
  }

  @Test
  func `a stage that ignores its cancel delays no sink, and delays the stop only until the deadline`() async throws {
    let pipeline = pipeline([
      asking(respectsCancel: false), PluginSpecification("sink", sink.maker),
    ])
    async let run = pipeline.run()
    pipeline.submit(.at(1))
    await took.wait(for: 1)
    pipeline.stop()
    await clock.deadlines.wait { $0.contains(.seconds(1)) && $0.contains(.seconds(2)) }
    clock.base.advance(by: .seconds(1))
    await sink.calls.wait { $0.contains(.stopped(1)) }
    clock.base.advance(by: .seconds(1))
    #expect(await run == .finished)
    #expect(sink.taken == [1])
    #expect(pipeline.status.first?.abandonedCount == 1)
    reply.continuation.finish()
  }

  @Test
  func `a sink that ignores its cancel during a stop is abandoned; its error and losses are reported`() async throws {
    let stuck = ScriptedSink([.hangs])
    let pipeline = pipeline([PluginSpecification("stuck", stuck.maker)])
    async let run = pipeline.run()
    for number in 1...3 { pipeline.submit(.at(Double(number))) }
    await stuck.calls.wait { $0.contains(.refused(1, by: 1)) }
    pipeline.stop()
    await clock.deadlines.wait { $0.contains(.seconds(3)) }
    clock.base.advance(by: .seconds(3))
    await clock.deadlines.wait { $0.contains(.seconds(5)) }
    clock.base.advance(by: .seconds(2))
    #expect(await run == .finished)
    let failure = try #require(pipeline.stopFailures[PluginKey(.sink, "stuck")])
    #expect(failure.description == "still running 3.0 seconds after the end of its input")
    #expect(pipeline.status.first?.droppedCount == 3)
    #expect(pipeline.stopLosses == [PluginKey(.sink, "stuck"): 3])
    stuck.release.yield()
  }

  @Test func `if a pipeline stops while a sink is being replaced, the new instance drains the queue`() async {
    let slow = ScriptedSink([.blocks])
    let plan = ["old", "new"].map { settings in
      PipelinePlan([
        PluginSpecification("slow", slow.maker, settings: settings, mailbox: .dropOldest(limit: 9))
      ])
    }
    let pipeline = LocationPipeline(
      plan[0],
      environment: PipelineEnvironment(
        clock: clock,
        stop: StopPolicy(drain: .seconds(6), cancel: .seconds(4), branch: .seconds(1))))
    async let run = pipeline.run()
    for number in 1...3 { pipeline.submit(.at(Double(number))) }
    await slow.calls.wait { $0.contains(.refused(1, by: 1)) }
    pipeline.apply(plan[1])
    await clock.deadlines.wait { $0.contains(.seconds(6)) }
    pipeline.stop()
    await clock.deadlines.wait { $0.contains(.seconds(3)) }
    clock.base.advance(by: .seconds(3))
    #expect(await run == .finished)
    #expect(slow.taken == [2, 3] && slow.calls.events.last == .stopped(2))
    // Only the event that the cancelled first instance was processing is lost.
    #expect(pipeline.stopLosses == [PluginKey(.sink, "slow"): 1])
    #expect(pipeline.stopFailures.isEmpty)
  }

  @Test func `an error during a stop is removed from stopFailures if the next instance ends without error`() async {
    let busy = ScriptedSink([.failsLater(PluginError(.transient(), "", why: "busy"))])
    let pipeline = pipeline([
      asking(respectsCancel: false),
      PluginSpecification("busy", busy.maker, mailbox: .dropNewest(limit: 9)),
      PluginSpecification("sink", sink.maker),
    ])
    async let run = pipeline.run()
    pipeline.submit(.at(1))
    await took.wait(for: 1)
    await busy.calls.wait { $0.contains(.refused(1, by: 1)) }
    pipeline.stop()
    await clock.deadlines.wait { $0.contains(.seconds(1)) && $0.contains(.seconds(2)) }
    busy.release.yield()
    await sink.calls.wait { $0.contains { $0.isError } }
    #expect(pipeline.stopFailures.keys.map(\.name) == ["busy"])
    // Sinks no longer wait for the stage.
    clock.base.advance(by: .seconds(2))
    #expect(await run == .finished)
    #expect(busy.taken == [1])
    #expect(pipeline.stopFailures.isEmpty && pipeline.stopLosses.isEmpty)
    reply.continuation.finish()
  }

  @Test func `stopping a pipeline does not report a sink that failed before the stop`() async {
    let sink = ScriptedSink([.fails(PluginError(.unsupported, "", why: "not here"))])
    let pipeline = pipeline([
      PluginSpecification("out", sink.maker), PluginSpecification("sink", self.sink.maker),
    ])
    async let run = pipeline.run()
    pipeline.submit(.at(1))
    // The other sink receives the error once the first sink has failed.
    await self.sink.calls.wait { $0.contains { $0.isError } }
    pipeline.stop()
    #expect(await run == .finished)
    #expect(pipeline.stopFailures.isEmpty && pipeline.stopLosses.isEmpty)
  }

  @Test func `the default stop deadlines add up to at most 10 seconds`() { #expect(StopPolicy().total <= .seconds(10)) }
}
