// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import LocationServices
import Pipeline
import Positioning
import Synchronization
import Testing

@Suite("Pipeline", .timeLimit(.minutes(5)))
struct LocationPipelineTests {
  struct Mark: Enrichment, Equatable { var text: String }

  /// Adds a mark to each location, after waiting for a permit if there are permits.
  struct Marker: Stage {
    var name: String { "marker" }
    var text = "x"
    var permits: AsyncStream<Void>?
    func run(
      _ input: AsyncStream<EnrichedLocation>,
      deliver: @escaping @Sendable (EnrichedLocation) -> Void,
      report: @escaping @Sendable (any PipelineEvent) -> Void
    ) async {
      var permit = permits?.makeAsyncIterator()
      for await var value in input {
        await permit?.next()
        value.add(Mark(text: (value.enrichment(of: Mark.self)?.text ?? "") + text))
        deliver(value)
      }
    }
  }

  /// Passes every other location.
  private static let everyOther = FakeStage(name: "other") { input, pass, report in
    var passes = false
    for await value in input {
      passes.toggle()
      if passes {
        pass(value)
      } else {
        report(GateEvent(gate: "other", verdict: .holds(reason: "odd"), heldCount: 1))
      }
    }
  }

  final class Collector: Sink {
    struct Broken: Error {}
    let name: String
    let isBroken: Bool
    let arrivals: AsyncStream<any PipelineEvent>
    private let arrival: AsyncStream<any PipelineEvent>.Continuation
    private let all = Mutex<[any PipelineEvent]>([])
    var events: [any PipelineEvent] { all.withLock { $0 } }

    init(name: String = "collector", isBroken: Bool = false) {
      self.name = name
      self.isBroken = isBroken
      (arrivals, arrival) = AsyncStream.makeStream()
    }

    func receive(_ event: any PipelineEvent) async throws {
      if isBroken { throw Broken() }
      all.withLock { $0.append(event) }
      arrival.yield(event)
    }
  }

  @Test func `a location reaches the sinks before its enrichment`() async {
    let sink = Collector()
    let pipeline = LocationPipeline(stages: [Marker(text: "a"), Marker(text: "b")], sinks: [sink])
    pipeline.submit(.at(1))
    pipeline.finish()
    await pipeline.run()
    #expect((sink.events.first as? LocationEvent)?.location == .at(1))
    #expect(sink.events.compactMap { ($0 as? EnrichedEvent)?.value.enrichment(of: Mark.self) } == [Mark(text: "ab")])
    #expect(pipeline.counters.locations == 1 && pipeline.counters.enriched == 1)
  }

  @Test func `a slow stage delays no sink, and processes the newest location next`() async {
    let (permits, permit) = AsyncStream.makeStream(of: Void.self)
    let sink = Collector()
    let pipeline = LocationPipeline(stages: [Marker(permits: permits)], sinks: [sink])
    async let run = pipeline.run()
    var arrivals = sink.arrivals.makeAsyncIterator()
    for latitude in 1...5 {
      pipeline.submit(.at(Double(latitude)))
      // The stage has no permit yet, but the sinks receive the location.
      #expect((await arrivals.next() as? LocationEvent)?.location == .at(Double(latitude)))
    }
    pipeline.finish()
    permit.finish()
    _ = await run
    let enriched = sink.events.compactMap { ($0 as? EnrichedEvent)?.value.location }
    #expect(enriched.last == .at(5))
    #expect(enriched.count <= 2)
    #expect(Int(pipeline.counters.conflated) == 5 - enriched.count)
  }

  @Test func `gates hold locations for stages, but not for sinks`() async {
    let sink = Collector()
    let pipeline = LocationPipeline(gates: [Self.everyOther], stages: [Marker()], sinks: [sink])
    async let run = pipeline.run()
    var arrivals = sink.arrivals.makeAsyncIterator()
    pipeline.submit(.at(1))
    while let event = await arrivals.next(), !(event is EnrichedEvent) {}
    pipeline.submit(.at(2))
    while let event = await arrivals.next(), !(event is GateEvent) {}
    pipeline.finish()
    _ = await run
    #expect(sink.events.count { $0 is LocationEvent } == 2)
    #expect(sink.events.count { $0 is EnrichedEvent } == 1)
  }

  @Test func `a failed sink does not affect the other sinks, which receive the failed sink's error`() async {
    let good = Collector()
    let pipeline = LocationPipeline(sinks: [Collector(name: "bad", isBroken: true), good])
    async let run = pipeline.run()
    pipeline.submit(.at(1))
    for await event in good.arrivals where event is ErrorEvent { break }
    pipeline.submit(.at(2))
    pipeline.finish()
    _ = await run
    #expect(good.events.count { $0 is LocationEvent } == 2)
    #expect(good.events.contains { ($0 as? ErrorEvent)?.source == "bad" })
    #expect(pipeline.counters.failedSinks == 1 && pipeline.counters.errors == 1)
  }

  @Test func `a pipeline that requires a sink ends when every sink has failed`() async {
    let pipeline = LocationPipeline(stages: [Marker()], sinks: [Collector(isBroken: true)])
    pipeline.submit(.at(1))
    #expect(await pipeline.run() == .noSinkLeft)
    #expect(pipeline.counters.failedSinks == 1)
  }

  @Test func `a pipeline's run ends when its task is cancelled`() async {
    let pipeline = LocationPipeline(gates: [Self.everyOther], stages: [Marker()], sinks: [Collector()])
    let task = Task { await pipeline.run() }
    task.cancel()
    #expect(await task.value == .cancelled)
  }
}
