// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import LocationServices
import Positioning
import Synchronization
import Testing

@testable import Pipeline

/// The state, the reason and the queue that the host reports of a sink.
@Suite("State of a sink", .timeLimit(.minutes(5)))
struct SinkStateTests {
  private static let full = PluginError(.transient(), "write", why: "disk full")

  /// A sink that records its events, and delivers them as the test says.
  private struct Remote: DeliveringSink {
    let name = "remote"
    let state: Mutable
    var delivery: SinkDelivery { state.value.withLock { $0 } }

    func receive(_ event: any PipelineEvent) async throws { state.events.record(1) }
  }

  private final class Mutable: Sendable {
    let value = Mutex(SinkDelivery())
    let events = EventRecorder<Int>()
  }

  private let clock = RecordingClock()

  private func pipeline(_ plugins: [PluginSpecification]) -> LocationPipeline {
    LocationPipeline(
      PipelinePlan(plugins),
      environment: PipelineEnvironment(clock: clock, makeGenerator: { SeededGenerator(seed: 1) }))
  }

  private func plugin(_ sink: ScriptedSink) -> PluginSpecification {
    var plugin = PluginSpecification("file", sink.maker, mailbox: .dropOldest(limit: 9))
    plugin.timeout = .seconds(30)
    plugin.restart = RestartPolicy(firstDelay: .seconds(1), maxDelay: .seconds(1))
    return plugin
  }

  private func submit(to pipeline: LocationPipeline) {
    pipeline.submit(.at(1))
  }

  private func status(_ pipeline: LocationPipeline) throws -> PluginStatus {
    try #require(pipeline.status.first)
  }

  /// Waits until the host has handled a failure and sleeps until the restart, and passes that time.
  private func restart() async {
    await clock.deadlines.wait { [now = clock.base.now.offset] deadlines in
      deadlines.contains { $0 > now && $0 <= now + .seconds(1) }
    }
    clock.base.advance(by: .seconds(1))
  }

  @Test
  func `a sink that waits for its destination is waiting, with its reason, its items and their age`() async throws {
    let state = Mutable()
    let pipeline = pipeline([PluginSpecification("remote", .sink { Remote(state: state) })])
    async let run = pipeline.run()
    submit(to: pipeline)
    await state.events.wait(for: 1)
    await pipeline.waitUntilDrained()
    let running = try status(pipeline)
    #expect(running.state == .running && running.reason == nil && running.waitingCount == 0)
    #expect(running.since == .at(0) && running.oldestAt == nil)
    clock.base.advance(by: .seconds(5))
    state.value.withLock {
      $0 = SinkDelivery(waitingReason: "no broker", since: .at(2), undeliveredCount: 7, oldestAt: .at(1))
    }
    let waiting = try status(pipeline)
    #expect(waiting.state == .waiting && waiting.reason == "no broker")
    #expect(waiting.since == .at(2) && waiting.oldestAt == .at(1))
    #expect(waiting.waitingCount == 7 && waiting.undeliveredCount == 7 && waiting.queueDepth == 0)
    state.value.withLock { $0 = SinkDelivery(since: .at(4)) }
    let again = try status(pipeline)
    #expect(again.state == .running && again.since == .at(4) && again.reason == nil)
    pipeline.finish()
    #expect(await run == .finished)
  }

  @Test func `a restarted sink is waiting, since its first failure, until it completes an event`() async throws {
    let sink = ScriptedSink([.fails(Self.full), .fails(Self.full)])
    let pipeline = pipeline([plugin(sink)])
    async let run = pipeline.run()
    clock.base.advance(by: .seconds(5))
    for instance in 1...2 {
      submit(to: pipeline)
      await sink.calls.wait { $0.contains(.stopped(instance)) }
      await restart()
      await sink.calls.wait { $0.contains(.started(instance + 1)) }
      let status = try status(pipeline)
      #expect(status.state == .waiting && status.reason == "write: disk full", "\(instance)")
      #expect(status.since == .at(5), "\(instance)")
    }
    // The host has counted the first event when it passes the second one.
    for _ in 0..<2 { submit(to: pipeline) }
    await sink.calls.wait { $0.contains(.took(4, by: 3)) }
    let status = try status(pipeline)
    #expect(status.state == .running && status.reason == nil && status.since == .at(7))
    pipeline.finish()
    #expect(await run == .finished)
  }

  @Test func `a restarted sink without events is running again after a minute`() {
    var generator = SeededGenerator(seed: 1)
    let specification = plugin(ScriptedSink())
    let mailbox = Mailbox(specification.mailbox)
    var state = PluginState(PluginKey(.sink, "file"), specification, StopPolicy())
    func next(_ ended: PluginError??, _ seconds: Int64) {
      _ = state.next(ended, mailbox, at: .seconds(seconds), MonotonicTime.at(seconds), using: &generator)
    }
    next(nil, 0)
    next(.some(Self.full), 1)
    #expect(state.status(mailbox, at: .seconds(1), MonotonicTime.at(1)).state == .waiting)
    next(nil, 3)
    #expect(state.supervision.phase == .running)
    #expect(state.status(mailbox, at: .seconds(62), MonotonicTime.at(62)).state == .waiting)
    let status = state.status(mailbox, at: .seconds(63), MonotonicTime.at(63))
    #expect(status.state == .running && status.since == .at(3))
  }

  @Test func `a sink whose call takes more than 10 seconds is waiting, although it has not failed`() async throws {
    let sink = ScriptedSink([.hangs])
    let pipeline = pipeline([plugin(sink)])
    async let run = pipeline.run()
    for _ in 0..<3 { submit(to: pipeline) }
    await sink.calls.wait { $0.contains(.refused(1, by: 1)) }
    clock.base.advance(by: .seconds(9))
    #expect(try status(pipeline).state == .running)
    clock.base.advance(by: .seconds(2))
    let status = try status(pipeline)
    #expect(status.state == .waiting && status.since == .at(0))
    #expect(status.reason == "one event has taken more than 10 s so far")
    #expect(status.oldestAt == .at(0) && status.waitingCount == 2)
    sink.release.yield()
    pipeline.finish()
    #expect(await run == .finished)
  }
}
