// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import LocationServices
import Pipeline
import Positioning
import Testing

/// Sinks removed from the plan while events still wait for them.
@Suite("Plugin host, removal", .timeLimit(.minutes(1)))
struct RemovalTests {
  private static let full = PluginError(.transient(), "write", why: "disk full")

  private let clock = RecordingClock()

  private func plan(_ sink: ScriptedSink, _ settings: String) -> PipelinePlan {
    PipelinePlan([
      PluginSpecification("file", sink.maker, settings: settings, mailbox: .dropOldest(limit: 9))
    ])
  }

  private func pipeline(_ sink: ScriptedSink) -> LocationPipeline {
    LocationPipeline(
      plan(sink, "old"),
      environment: PipelineEnvironment(clock: clock, stop: StopPolicy(drain: .seconds(6), cancel: .seconds(4))))
  }

  private func submit(_ numbers: ClosedRange<Int>, to pipeline: LocationPipeline) {
    for number in numbers { pipeline.submit(.at(Double(number))) }
  }

  @Test func `if a sink is removed while it is being replaced, the new instance drains the queue`() async {
    let sink = ScriptedSink([.blocks])
    let pipeline = pipeline(sink)
    async let run = pipeline.run()
    submit(1...3, to: pipeline)
    await sink.calls.wait { $0.contains(.refused(1, by: 1)) }
    pipeline.apply(plan(sink, "new"))
    await clock.deadlines.wait { $0.contains(.seconds(6)) }
    pipeline.apply(PipelinePlan([]))
    // Both instances share one deadline.
    await clock.deadlines.wait { $0.contains(.seconds(3)) }
    clock.base.advance(by: .seconds(3))
    pipeline.finish()
    #expect(await run == .finished)
    #expect(sink.taken == [2, 3] && sink.calls.events.last == .stopped(2))
    // Only the event that the cancelled first instance was processing is dropped.
    #expect(pipeline.counters.dropped == 1)
  }

  @Test func `a sink removed while it waits to restart is restarted at once to drain its queue`() async {
    let (sink, other) = (ScriptedSink([.fails(Self.full)]), ScriptedSink())
    let pipeline = pipeline(sink)
    let rest = PluginSpecification("other", other.maker)
    pipeline.apply(PipelinePlan(plan(sink, "old").plugins + [rest]))
    async let run = pipeline.run()
    submit(1...3, to: pipeline)
    await other.calls.wait {
      $0.contains(.error(ErrorEvent(source: "file", message: "\(Self.full)")))
    }
    pipeline.apply(PipelinePlan([rest]))
    // The clock does not advance: the restart delay is skipped.
    await sink.calls.wait { $0.contains(.stopped(2)) }
    pipeline.finish()
    #expect(await run == .finished)
    #expect(sink.taken == [2, 3] && other.taken == [1, 2, 3])
    #expect(pipeline.counters.dropped == 0)
  }

  @Test func `events that a removed sink does not process before its deadline are counted as dropped`() async {
    let sink = ScriptedSink([.hangs])
    let pipeline = pipeline(sink)
    async let run = pipeline.run()
    submit(1...3, to: pipeline)
    await sink.calls.wait { $0.contains(.refused(1, by: 1)) }
    #expect(pipeline.counters.dropped == 0)
    pipeline.apply(PipelinePlan([]))
    await clock.deadlines.wait { $0.contains(.seconds(6)) }
    clock.base.advance(by: .seconds(6))
    await clock.deadlines.wait { $0.contains(.seconds(10)) }
    clock.base.advance(by: .seconds(4))
    pipeline.finish()
    #expect(await run == .finished)
    #expect(pipeline.counters.dropped == 3)
    sink.release.yield()
  }
}
