// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import LocationServices
import Pipeline
import Positioning
import Synchronization
import Testing

/// Gates and stages that fail.
@Suite("Plugin host, the branch", .timeLimit(.minutes(5)))
struct BranchTests {
  private static let lost = PluginError(.transient(), "path", why: "lost")

  /// Passes locations; the first instance fails at its first location.
  private static func faulty(_ runs: EventRecorder<Int>) -> FakeStage {
    FakeStage(name: "faulty") { input, pass, _ in
      runs.record(runs.events.count + 1)
      for await value in input {
        if runs.events.count == 1 { throw lost }
        pass(value)
      }
    }
  }

  @Test
  func `sinks continue while a gate waits to restart; the restarted gate passes the newest location`() async throws {
    let clock = RecordingClock()
    let runs = EventRecorder<Int>()
    let sink = ScriptedSink()
    let stage = EventRecorder<Int>()
    let last = FakeStage(name: "last") { input, _, _ in
      for await value in input { stage.record(Int(value.number ?? 0)) }
    }
    let pipeline = LocationPipeline(
      PipelinePlan([
        PluginSpecification("faulty", .gate { Self.faulty(runs) }),
        PluginSpecification("last", .stage { last }),
        PluginSpecification("sink", sink.maker),
      ]), environment: PipelineEnvironment(clock: clock))
    async let run = pipeline.run()
    pipeline.submit(.at(1))
    await sink.calls.wait {
      $0.contains(.error(ErrorEvent(source: "faulty", message: "path: lost")))
    }
    for number in 2...5 { pipeline.submit(.at(Double(number))) }
    await sink.calls.wait { $0.contains(.took(5, by: 1)) }
    #expect(stage.events.isEmpty && pipeline.status.first?.state == .waiting)
    await clock.deadlines.wait { $0.contains { $0 > .zero && $0 <= .seconds(1) } }
    clock.base.advance(by: .seconds(1))
    #expect(await stage.wait(for: 1) == [5])
    pipeline.finish()
    #expect(await run == .finished)
    #expect(pipeline.status.first?.restartCount == 1 && runs.events == [1, 2])
  }

  @Test func `an error that a stage reports appears in the stage's status and does not stop the stage`() async throws {
    let clock = ManualClock()
    let sink = ScriptedSink()
    let delivered = EventRecorder<Void>()
    let asking = FakeStage(name: "asking") { input, deliver, report in
      for await value in input {
        if value.number == 1 {
          report(ErrorEvent(source: "asking", message: "no answer"))
        } else {
          deliver(value)
          delivered.record(())
        }
      }
    }
    let pipeline = LocationPipeline(
      PipelinePlan([
        PluginSpecification("asking", .stage { asking }),
        PluginSpecification("sink", sink.maker),
      ]), environment: PipelineEnvironment(clock: clock))
    async let run = pipeline.run()
    pipeline.submit(.at(1))
    await sink.calls.wait {
      $0.contains(.error(ErrorEvent(source: "asking", message: "no answer")))
    }
    clock.advance(by: .seconds(10))
    pipeline.submit(.at(2))
    await delivered.wait(for: 1)
    clock.advance(by: .seconds(10))
    pipeline.finish()
    #expect(await run == .finished)
    let status = try #require(pipeline.status.first)
    #expect(status.outCount == 1 && status.errorCount == 1 && status.restartCount == 0)
    #expect(status.lastError?.description == "no answer")
    #expect(status.lastErrorAt == .at(0))
    #expect(status.lastSuccessAt == .at(10))
  }

  @Test func `a stage that returns before the end of its input is restarted like a failed stage`() async {
    let sink = ScriptedSink()
    let pipeline = LocationPipeline(
      PipelinePlan([
        PluginSpecification("quitter", .stage { FakeStage(name: "quitter") { _, _, _ in } }),
        PluginSpecification("sink", sink.maker),
      ]), environment: PipelineEnvironment(clock: RecordingClock()))
    async let run = pipeline.run()
    await sink.calls.wait { $0.contains { if case .error = $0 { true } else { false } } }
    #expect(pipeline.status.first?.state == .waiting)
    pipeline.submit(.at(1))
    await sink.calls.wait { $0.contains(.took(1, by: 1)) }
    pipeline.finish()
    #expect(await run == .finished)
  }
}
