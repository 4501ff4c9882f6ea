// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import LocationServices
import Pipeline
import Positioning
import Testing

/// Stages behind a stage that has failed or is waiting for a restart.
@Suite("Plugin host, bypassed stages", .timeLimit(.minutes(5)))
struct BypassedStageTests {
  private struct Mark: Enrichment, Equatable {}

  /// The first instance fails before it receives a location; later instances mark each location.
  private func broken(_ kind: PluginError.Kind) -> PluginSpecification {
    let stage = FakeStage(name: "broken") { [runs] input, deliver, _ in
      runs.record(())
      if runs.events.count == 1 { throw PluginError(kind, "ask", why: "no") }
      for await var value in input {
        value.add(Mark())
        deliver(value)
      }
    }
    return PluginSpecification("broken", .stage { stage })
  }

  /// A location that reached the second stage: its number, and whether the first stage marked it.
  private struct Seen: Equatable {
    var number: UInt64?
    var isMarked = false
  }

  private var behind: FakeStage {
    FakeStage(name: "behind") { [seen] input, deliver, _ in
      for await value in input {
        deliver(value)
        seen.record(Seen(number: value.number, isMarked: value.enrichment(of: Mark.self) != nil))
      }
    }
  }

  private let clock = RecordingClock()
  private let sink = ScriptedSink()
  private let seen = EventRecorder<Seen>()

  private let runs = EventRecorder<Void>()

  private func pipeline(_ kind: PluginError.Kind) -> LocationPipeline {
    LocationPipeline(
      PipelinePlan([
        broken(kind), PluginSpecification("behind", .stage { [behind] in behind }),
        PluginSpecification("sink", sink.maker),
      ]), environment: PipelineEnvironment(clock: clock))
  }

  private func waitForFailure() async {
    await sink.calls.wait {
      $0.contains(.error(ErrorEvent(source: "broken", message: "ask: no")))
    }
  }

  @Test(arguments: [PluginError.Kind.permanent, .transient()], [true, false])
  func `locations bypass a stage that failed or waits for a restart`(kind: PluginError.Kind, isEarly: Bool) async {
    let pipeline = pipeline(kind)
    // With `isEarly`, the location is already in the stage's queue when the stage fails.
    if isEarly { pipeline.submit(.at(1)) }
    async let run = pipeline.run()
    await waitForFailure()
    #expect(pipeline.status.first?.state == (kind == .permanent ? .failed : .waiting))
    if !isEarly { pipeline.submit(.at(1)) }
    pipeline.finish()
    #expect(await run == .finished)
    #expect(seen.events == [Seen(number: 1)])
    #expect(pipeline.counters.enriched == 1)
  }

  @Test func `a restarted stage processes the locations that arrive after its restart`() async {
    let pipeline = pipeline(.transient())
    async let run = pipeline.run()
    await waitForFailure()
    pipeline.submit(.at(1))
    #expect(await seen.wait(for: 1) == [Seen(number: 1)])
    await clock.deadlines.wait { $0.contains { $0 > .zero && $0 <= .seconds(1) } }
    clock.base.advance(by: .seconds(1))
    await runs.wait(for: 2)
    pipeline.submit(.at(2))
    pipeline.finish()
    #expect(await run == .finished)
    #expect(seen.events == [Seen(number: 1), Seen(number: 2, isMarked: true)])
  }

  @Test func `if every stage has failed, no location is counted as enriched`() async {
    let pipeline = LocationPipeline(
      PipelinePlan([broken(.permanent), PluginSpecification("sink", sink.maker)]),
      environment: PipelineEnvironment(clock: clock))
    async let run = pipeline.run()
    await waitForFailure()
    pipeline.submit(.at(1))
    pipeline.finish()
    #expect(await run == .finished)
    #expect(sink.taken == [1] && pipeline.counters.enriched == 0)
  }
}
