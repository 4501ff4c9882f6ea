// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import LocationServices
import Pipeline
import Positioning
import Synchronization
import Testing

@Suite("Pipeline, back pressure", .timeLimit(.minutes(5)))
struct BackPressureTests {
  /// A sink that processes one event for each permit, and fails if the permit is `false`.
  private final class SlowSink: Sink {
    struct Broken: Error {}
    let name = "slow"
    let taken = EventRecorder<Location>()
    private let permits: AsyncStream<Bool>
    let permit: AsyncStream<Bool>.Continuation

    init() { (permits, permit) = AsyncStream.makeStream() }

    func receive(_ event: any PipelineEvent) async throws {
      for await isPermitted in permits {
        if !isPermitted { throw Broken() }
        break
      }
      if let event = event as? LocationEvent {
        taken.record(event.location)
      }
    }
  }

  @Test func `waitUntilDrained returns only when the sinks have processed the last event`() async {
    let sink = SlowSink()
    let pipeline = LocationPipeline(sinks: [sink])
    async let run = pipeline.run()
    await pipeline.waitUntilDrained()
    let order = EventRecorder<String>()
    for latitude in 1...3 { pipeline.submit(.at(Double(latitude))) }
    async let wait: Void = {
      await pipeline.waitUntilDrained()
      order.record("drained after \(sink.taken.events.count)")
    }()
    for _ in 1...3 { sink.permit.yield(true) }
    await wait
    #expect(order.events == ["drained after 3"])
    pipeline.finish()
    _ = await run
  }

  @Test func `waitUntilDrained does not wait for dropped events`() async {
    let sink = SlowSink()
    let pipeline = LocationPipeline(sinks: [sink], sinkLimit: 2)
    for latitude in 1...10 { pipeline.submit(.at(Double(latitude))) }
    async let run = pipeline.run()
    for _ in 1...2 { sink.permit.yield(true) }
    await pipeline.waitUntilDrained()
    #expect(sink.taken.events == [.at(9), .at(10)])
    #expect(pipeline.counters.dropped == 8)
    pipeline.finish()
    _ = await run
  }

  @Test func `waitUntilDrained returns if the sink has failed or the task is cancelled`() async {
    let broken = SlowSink()
    let pipeline = LocationPipeline(sinks: [broken])
    for latitude in 1...5 { pipeline.submit(.at(Double(latitude))) }
    async let run = pipeline.run()
    broken.permit.yield(false)
    await pipeline.waitUntilDrained()
    _ = await run
    pipeline.submit(.at(6))
    await pipeline.waitUntilDrained()

    let stuck = LocationPipeline(sinks: [SlowSink()])
    stuck.submit(.at(1))
    let waiting = Task { await stuck.waitUntilDrained() }
    waiting.cancel()
    await waiting.value
  }
}
