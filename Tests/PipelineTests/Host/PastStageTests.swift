// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import LocationServices
import Pipeline
import Positioning
import Testing

/// Stages behind one that is down.
@Suite("Plugin host, past a stage", .timeLimit(.minutes(5)))
struct PastStageTests {
  private struct Mark: Enrichment, Equatable {}

  /// Fails at once, as often as it is to, before it takes anything; marks what it takes then.
  private struct Broken: Stage {
    let name = "broken"
    let kind: PluginError.Kind
    let runs: EventRecorder<Void>
    func run(
      _ input: AsyncStream<EnrichedLocation>,
      deliver: @escaping @Sendable (EnrichedLocation) -> Void,
      report: @escaping @Sendable (any PipelineEvent) -> Void
    ) async throws {
      runs.record(())
      if runs.events.count == 1 { throw PluginError(kind, "ask", why: "no") }
      for await var value in input {
        value.add(Mark())
        deliver(value)
      }
    }
  }

  /// What came to the stage behind: the location's number, and whether it is marked.
  private struct Seen: Equatable {
    var number: UInt64?
    var isMarked = false
  }

  private struct Behind: Stage {
    let name = "behind"
    let seen: EventRecorder<Seen>
    func run(
      _ input: AsyncStream<EnrichedLocation>,
      deliver: @escaping @Sendable (EnrichedLocation) -> Void,
      report: @escaping @Sendable (any PipelineEvent) -> Void
    ) async {
      for await value in input {
        deliver(value)
        seen.record(Seen(number: value.number, isMarked: value.found(Mark.self) != nil))
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
        PluginSpecification("broken", .stage { [runs] in Broken(kind: kind, runs: runs) }),
        PluginSpecification("behind", .stage { [seen] in Behind(seen: seen) }),
        PluginSpecification("sink", sink.maker),
      ]), environment: PipelineEnvironment(clock: clock))
  }

  private func location(_ number: Int) -> Location { Location(coordinate: .at(Double(number), 0)) }

  private func heardOfFailure() async {
    await sink.calls.wait {
      $0.contains(.heard(ErrorEvent(source: "broken", message: "ask: no")))
    }
  }

  @Test(
    "what is left out or waits silences nothing behind it",
    arguments: [PluginError.Kind.permanent, .transient()], [true, false])
  func down(kind: PluginError.Kind, isEarly: Bool) async {
    let pipeline = pipeline(kind)
    // Early, it waits before the stage that is about to fail.
    if isEarly { pipeline.submit(location(1)) }
    async let run = pipeline.run()
    await heardOfFailure()
    #expect(pipeline.status.first?.state == (kind == .permanent ? .failed : .waiting))
    if !isEarly { pipeline.submit(location(1)) }
    pipeline.finish()
    #expect(await run == .finished)
    #expect(seen.events == [Seen(number: 1)])
    #expect(pipeline.counters.enriched == 1)
  }

  @Test("one that is back takes what comes then")
  func back() async {
    let pipeline = pipeline(.transient())
    async let run = pipeline.run()
    await heardOfFailure()
    pipeline.submit(location(1))
    #expect(await seen.wait(for: 1) == [Seen(number: 1)])
    await clock.deadlines.wait { $0.contains { $0 > .zero && $0 <= .seconds(1) } }
    clock.base.advance(by: .seconds(1))
    await runs.wait(for: 2)
    pipeline.submit(location(2))
    pipeline.finish()
    #expect(await run == .finished)
    #expect(seen.events == [Seen(number: 1), Seen(number: 2, isMarked: true)])
  }

  @Test("where no stage works, nothing is told as looked up")
  func alone() async {
    let pipeline = LocationPipeline(
      PipelinePlan([
        PluginSpecification("broken", .stage { [runs] in Broken(kind: .permanent, runs: runs) }),
        PluginSpecification("sink", sink.maker),
      ]), environment: PipelineEnvironment(clock: clock))
    async let run = pipeline.run()
    await heardOfFailure()
    pipeline.submit(location(1))
    pipeline.finish()
    #expect(await run == .finished)
    #expect(sink.taken == [1] && pipeline.counters.enriched == 0)
  }
}
