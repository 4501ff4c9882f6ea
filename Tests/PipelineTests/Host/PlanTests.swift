// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import LocationServices
import Pipeline
import Positioning
import Testing

/// Plans that change while a pipeline runs.
@Suite("Pipeline plan", .timeLimit(.minutes(5)))
struct PlanTests {
  private struct Mark: Enrichment { var name: String }

  private func sink(_ name: String, _ sink: ScriptedSink, _ file: String = "a") -> PluginSpecification {
    PluginSpecification(name, sink.maker, settings: file, mailbox: .dropNewest(limit: 1000))
  }

  private func location(_ number: Int) -> Location {
    Location.at(Double(number % 90))
  }

  @Test func `a new plan keeps plugins with equal settings and replaces plugins with different settings`() {
    let scripted = ScriptedSink()
    let reordered = sink("track", scripted)
    let before = PipelinePlan([
      sink("track", scripted), sink("log", scripted), sink("log", scripted),
    ])
    let after = PipelinePlan([sink("new", scripted), reordered, sink("log", scripted, "b")])
    let changes = before.changes(to: after)
    #expect(changes.kept == [PluginKey(.sink, "track")])
    #expect(changes.replaced == [PluginKey(.sink, "log")])
    #expect(changes.added == [PluginKey(.sink, "new")])
    #expect(changes.removed == [PluginKey(.sink, "log", ordinal: 1)])
    #expect(before.changes(to: before).isEmpty && !changes.isEmpty)
  }

  @Test func `a sink receives each location exactly once while other plugins are reloaded`() async throws {
    let (track, log, new) = (ScriptedSink(), ScriptedSink(), ScriptedSink())
    let pipeline = LocationPipeline(PipelinePlan([sink("track", track), sink("log", log)]))
    async let run = pipeline.run()
    let numbers = Array(UInt64(1)...500)
    for number in numbers {
      pipeline.submit(location(Int(number)))
      switch number {
      case 100, 200, 300:
        let changes = pipeline.apply(PipelinePlan([sink("track", track), sink("log", log, "\(number)")]))
        #expect(changes.kept == [PluginKey(.sink, "track")])
        await log.calls.wait { $0.contains(.started(Int(number) / 100 + 1)) }
      case 400:
        pipeline.apply(PipelinePlan([sink("track", track), sink("new", new)]))
      default: break
      }
    }
    pipeline.finish()
    #expect(await run == .finished)
    #expect(track.taken == numbers)
    // The new instance received the remaining events, and the removed sink emptied its queue.
    #expect(log.taken == Array(1...400))
    #expect(new.taken == Array(401...500))
    #expect(track.calls.events.filter { $0 == .started(1) || $0 == .stopped(1) }.count == 2)
    #expect(log.calls.events.count { if case .stopped = $0 { true } else { false } } == 4)
    #expect(pipeline.status.map(\.name) == ["track", "new"])
  }

  @Test func `adding or removing a stage affects only enriched locations`() async {
    let results = EventRecorder<[String]>()
    struct Results: Sink {
      let name = "results"
      let results: EventRecorder<[String]>
      func receive(_ event: any PipelineEvent) async throws {
        guard let event = event as? EnrichedEvent else { return }
        results.record([
          event.value.enrichment(of: Mark.self)?.name ?? "", "\(event.value.number ?? 0)",
        ])
      }
    }
    let end = PluginSpecification("results", .sink { Results(results: results) })
    func stage(_ name: String) -> PluginSpecification {
      let marking = FakeStage(name: name) { input, deliver, _ in
        for await var value in input {
          value.add(Mark(name: name))
          deliver(value)
        }
      }
      return PluginSpecification(name, .stage { marking })
    }
    let pipeline = LocationPipeline(PipelinePlan([stage("a"), end]))
    async let run = pipeline.run()
    pipeline.submit(location(1))
    await results.wait(for: 1)
    pipeline.apply(PipelinePlan([stage("a"), stage("b"), end]))
    pipeline.submit(location(2))
    await results.wait(for: 2)
    pipeline.apply(PipelinePlan([stage("a"), end]))
    pipeline.submit(location(3))
    await results.wait(for: 3)
    pipeline.finish()
    #expect(await run == .finished)
    #expect(results.events == [["a", "1"], ["b", "2"], ["a", "3"]])
  }
}
