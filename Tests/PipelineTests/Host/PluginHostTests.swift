// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import LocationServices
import Pipeline
import Positioning
import Synchronization
import Testing

/// Plugins that fail, hang and restart, on a clock that the tests advance.
@Suite("Plugin host", .timeLimit(.minutes(5)))
struct PluginHostTests {
  private static let full = PluginError(.transient(), "write", why: "disk full")
  private static let closed = PluginError(.permanent, "write", why: "closed")

  private let clock = RecordingClock()

  private func pipeline(_ plugins: [PluginSpecification], endsWithoutSinks: Bool = false) -> LocationPipeline {
    LocationPipeline(
      PipelinePlan(plugins, endsWithoutSinks: endsWithoutSinks),
      environment: PipelineEnvironment(
        clock: clock, stop: StopPolicy(drain: .seconds(3), cancel: .seconds(2)),
        makeGenerator: { SeededGenerator(seed: 1) }))
  }

  private func submit(_ numbers: ClosedRange<Int>, to pipeline: LocationPipeline) {
    for number in numbers { pipeline.submit(.at(Double(number))) }
  }

  private func status(_ name: String, _ pipeline: LocationPipeline) throws -> PluginStatus {
    try #require(pipeline.status.first { $0.name == name })
  }

  /// Waits until a sink has received the error of another plugin.
  private func waitForError(_ name: String, _ error: PluginError, _ sink: ScriptedSink) async {
    await sink.calls.wait { $0.contains(.error(ErrorEvent(source: name, message: "\(error)"))) }
  }

  /// Waits until a task is sleeping until the given time since the start.
  private func waitForSleep(until time: Duration) async {
    await clock.deadlines.wait { $0.contains(time) }
  }

  /// Waits until a task is sleeping for at most one second, and advances the clock past that time.
  private func advancePastRestart() async {
    await clock.deadlines.wait { [now = clock.base.now.offset] deadlines in
      deadlines.contains { $0 > now && $0 <= now + .seconds(1) }
    }
    clock.base.advance(by: .seconds(1))
  }

  private func plugin(
    _ name: String, _ sink: ScriptedSink, timeout: Duration? = nil,
    mailbox: MailboxPolicy? = nil, settings: any Equatable & Sendable = "",
    isRequired: Bool = false
  ) -> PluginSpecification {
    var plugin = PluginSpecification(name, sink.maker, settings: settings, isRequired: isRequired, mailbox: mailbox)
    plugin.timeout = timeout
    return plugin
  }

  @Test
  func `a sink receives only the events that its filter accepts; other events are counted as skipped`() async throws {
    let (picky, other) = (ScriptedSink(), ScriptedSink())
    var plugin = plugin("picky", picky)
    plugin.takes = { ($0 as? LocationEvent)?.number != 2 }
    let pipeline = pipeline([plugin, self.plugin("other", other)])
    submit(1...3, to: pipeline)
    pipeline.finish()
    #expect(await pipeline.run() == .finished)
    #expect(picky.taken == [1, 3] && other.taken == [1, 2, 3])
    let counts = try status("picky", pipeline)
    #expect(counts.inCount == 2 && counts.skippedCount == 1 && counts.droppedCount == 0)
  }

  @Test(arguments: [
    (MailboxPolicy.dropOldest(limit: 9), [2, 3, 4], 1), (.dropNewest(limit: 9), [1, 2, 3, 4], 0),
  ])
  func `a restarted sink keeps its queue; the policy decides if the failed event is sent again`(
    policy: MailboxPolicy, taken: [Int], dropped: Int
  ) async throws {
    let (sink, other) = (ScriptedSink([.fails(Self.full)]), ScriptedSink())
    let pipeline = pipeline([plugin("file", sink, mailbox: policy), plugin("other", other)])
    async let run = pipeline.run()
    submit(1...3, to: pipeline)
    await waitForError("file", Self.full, other)
    let waiting = try status("file", pipeline)
    #expect(waiting.state == .waiting && waiting.lastError == Self.full && waiting.errorCount == 1)
    await other.calls.wait { $0.contains(.took(3, by: 1)) }
    await advancePastRestart()
    submit(4...4, to: pipeline)
    await sink.calls.wait { $0.contains(.took(4, by: 2)) }
    pipeline.finish()
    #expect(await run == .finished)
    #expect(sink.taken == taken.map(UInt64.init) && other.taken == [1, 2, 3, 4])
    let status = try status("file", pipeline)
    #expect(status.restartCount == 1 && status.queueDepth == 0 && status.state == .stopped)
    #expect(status.droppedCount == UInt64(dropped) && status.outCount == UInt64(taken.count))
    #expect(sink.calls.events.last == .stopped(2))
  }

  @Test(arguments: [MailboxPolicy.dropOldest(limit: 9), .dropNewest(limit: 9)])
  func `a sink that ignores its cancel is abandoned, and replaced once its call returns`(policy: MailboxPolicy)
    async throws
  {
    let (sink, other) = (ScriptedSink([.hangs]), ScriptedSink())
    let pipeline = pipeline([
      plugin("file", sink, timeout: .seconds(10), mailbox: policy), plugin("other", other),
    ])
    async let run = pipeline.run()
    submit(1...5, to: pipeline)
    await sink.calls.wait { $0.contains(.refused(1, by: 1)) }
    await waitForSleep(until: .seconds(10))
    clock.base.advance(by: .seconds(10))
    // The sink is cancelled and has two seconds to return.
    await waitForSleep(until: .seconds(12))
    await other.calls.wait { $0.contains(.took(5, by: 1)) }
    clock.base.advance(by: .seconds(2))
    await other.calls.wait { $0.contains { if case .error = $0 { true } else { false } } }
    let blocked = try status("file", pipeline)
    #expect(blocked.state == .blocked && blocked.abandonedCount == 1 && blocked.queueDepth == 4)
    #expect(blocked.blockedSince == .at(10))
    // Even after a day, the sink is still blocked.
    clock.base.advance(by: .seconds(86_400))
    sink.release.yield()
    await advancePastRestart()
    await sink.calls.wait { $0.contains(.took(5, by: 2)) }
    // The host handled the late return, and no second instance ran at the same time.
    let first: [ScriptedSink.Call] = [
      .started(1), .refused(1, by: 1), .took(1, by: 1), .stopped(1), .started(2),
    ]
    #expect(sink.calls.events.starts(with: first), "\(sink.calls.events)")
    #expect(sink.taken == [1, 2, 3, 4, 5] && other.taken == [1, 2, 3, 4, 5])
    pipeline.finish()
    #expect(await run == .finished)
    let status = try status("file", pipeline)
    #expect(status.timeoutCount == 1 && status.abandonedCount == 1 && status.restartCount == 1)
    #expect(status.blockedSince == nil)
    // The blocked call returned without an error.
    #expect(status.outCount == 5 && status.droppedCount == 0)
  }

  @Test func `the end of the input does not wait for a blocked sink`() async throws {
    let (sink, other) = (ScriptedSink([.hangs]), ScriptedSink())
    let pipeline = pipeline([
      plugin("file", sink, timeout: .seconds(10)), plugin("other", other),
    ])
    async let run = pipeline.run()
    submit(1...3, to: pipeline)
    await sink.calls.wait { $0.contains(.refused(1, by: 1)) }
    await waitForSleep(until: .seconds(10))
    clock.base.advance(by: .seconds(10))
    await waitForSleep(until: .seconds(12))
    clock.base.advance(by: .seconds(2))
    await other.calls.wait { $0.contains { if case .error = $0 { true } else { false } } }
    pipeline.finish()
    #expect(await run == .finished)
    let status = try status("file", pipeline)
    #expect(status.state == .failed && status.droppedCount == 3 && status.restartCount == 0)
    sink.release.yield()
  }

  @Test(arguments: [(MailboxPolicy.dropOldest(limit: 9), [2], 1), (.dropNewest(limit: 9), [1, 2], 0)])
  func `a sink that returns when cancelled is not abandoned; the policy decides if its event is lost`(
    policy: MailboxPolicy, taken: [Int], dropped: Int
  ) async throws {
    let (sink, other) = (ScriptedSink([.blocks]), ScriptedSink())
    let pipeline = pipeline([
      plugin("file", sink, timeout: .seconds(10), mailbox: policy), plugin("other", other),
    ])
    async let run = pipeline.run()
    submit(1...2, to: pipeline)
    await sink.calls.wait { $0.contains(.refused(1, by: 1)) }
    await waitForSleep(until: .seconds(10))
    clock.base.advance(by: .seconds(10))
    await advancePastRestart()
    await sink.calls.wait { $0.contains(.took(2, by: 2)) }
    pipeline.finish()
    #expect(await run == .finished)
    let status = try status("file", pipeline)
    #expect(status.timeoutCount == 1 && status.abandonedCount == 0)
    #expect(status.droppedCount == UInt64(dropped) && sink.taken == taken.map(UInt64.init))
  }

  @Test(arguments: [false, true])
  func `a permanently failed sink stays stopped, and ends the run only if it is required`(isRequired: Bool) async throws
  {
    let (sink, other) = (ScriptedSink([.fails(Self.closed)]), ScriptedSink())
    let pipeline = pipeline([plugin("file", sink, isRequired: isRequired), plugin("other", other)])
    async let run = pipeline.run()
    submit(1...2, to: pipeline)
    if isRequired {
      #expect(await run == .requiredFailed(name: "file", Self.closed))
    } else {
      await waitForError("file", Self.closed, other)
      submit(3...3, to: pipeline)
      // The drain no longer waits for the failed sink.
      await pipeline.waitUntilDrained()
      #expect(other.taken == [1, 2, 3])
      pipeline.finish()
      #expect(await run == .finished)
    }
    let status = try status("file", pipeline)
    #expect(status.state == .failed && status.lastError == Self.closed)
    #expect(status.inCount == 1 && status.queueDepth == 0)
    #expect(pipeline.counters.failedSinks == 1)
  }

  @Test func `a sink that cannot be created because of wrong settings fails permanently`() async throws {
    let wrong = PluginError(.configuration, "sink file", why: "no path")
    let other = ScriptedSink()
    let pipeline = pipeline([
      PluginSpecification("file", .sink { throw wrong }), plugin("other", other),
    ])
    async let run = pipeline.run()
    await waitForError("file", wrong, other)
    pipeline.finish()
    #expect(await run == .finished)
    #expect(try status("file", pipeline).state == .failed)
  }

  @Test func `events that a sink's filter rejects are counted, and are not queued`() async throws {
    let (sink, other) = (ScriptedSink([.hangs]), ScriptedSink())
    var track = plugin("track", sink, mailbox: .dropNewest(limit: 1))
    track.takes = { $0 is LocationEvent }
    let pipeline = pipeline([track, plugin("other", other)])
    async let run = pipeline.run()
    submit(1...1, to: pipeline)
    await sink.calls.wait { $0.contains(.refused(1, by: 1)) }
    for number in 1...3 { pipeline.submit(ErrorEvent(source: "a", message: "\(number)")) }
    submit(2...2, to: pipeline)
    let waiting = try status("track", pipeline)
    #expect(waiting.queueDepth == 1 && waiting.droppedCount == 0)
    #expect(waiting.inCount == 1 && waiting.outCount == 0 && waiting.skippedCount == 3)
    sink.release.yield()
    pipeline.finish()
    #expect(await run == .finished)
    #expect(sink.taken == [1, 2] && sink.calls.events.allSatisfy { !$0.isError })
  }

  @Test func `an alert that a full keepAlerts queue must drop makes the plugin fail permanently`() async throws {
    let (sink, other) = (ScriptedSink([.hangs]), ScriptedSink())
    let pipeline = pipeline([
      plugin("alerts", sink, mailbox: .keepAlerts(limit: 2)), plugin("other", other),
    ])
    async let run = pipeline.run()
    submit(1...1, to: pipeline)
    await sink.calls.wait { $0.contains(.refused(1, by: 1)) }
    for number in 1...3 { pipeline.submit(ErrorEvent(source: "a", message: "\(number)")) }
    await other.calls.wait { $0.contains(.error(ErrorEvent(source: "a", message: "3"))) }
    // Release the sink only after its cancel; otherwise the sink would read the queue.
    await waitForSleep(until: .seconds(2))
    sink.release.yield()
    await other.calls.wait {
      $0.contains { if case .error(let event) = $0 { event.source == "alerts" } else { false } }
    }
    let status = try status("alerts", pipeline)
    #expect(status.state == .failed && status.lastError?.kind == .permanent)
    #expect(status.droppedCount == 3)
    pipeline.finish()
    #expect(await run == .finished)
  }

  @Test func `a cancelled run waits for a stuck sink only until the stop deadline`() async throws {
    let sink = ScriptedSink([.hangs])
    let pipeline = pipeline([plugin("file", sink)])
    let run = Task { await pipeline.run() }
    submit(1...3, to: pipeline)
    await sink.calls.wait { $0.contains(.refused(1, by: 1)) }
    run.cancel()
    await waitForSleep(until: .seconds(2))
    clock.base.advance(by: .seconds(2))
    #expect(await run.value == .cancelled)
    #expect(try status("file", pipeline).abandonedCount == 1)
    #expect(try status("file", pipeline).droppedCount == 3)
    sink.release.yield()
  }

  @Test func `time inside a call that does not return does not reset the restart back-off`() async throws {
    let (sink, other) = (ScriptedSink([.fails(Self.full), .blocks]), ScriptedSink())
    let pipeline = pipeline([
      plugin("file", sink, timeout: .seconds(100)), plugin("other", other),
    ])
    let run = Task { await pipeline.run() }
    submit(1...2, to: pipeline)
    await sink.calls.wait { $0.contains(.refused(1, by: 1)) }
    await advancePastRestart()
    await sink.calls.wait { $0.contains(.refused(2, by: 2)) }
    await waitForSleep(until: .seconds(101))
    clock.base.advance(by: .seconds(100))
    // The second delay is 1 to 2 seconds; the first delay is at most 1 second.
    await clock.deadlines.wait { $0.contains { $0 > .seconds(102) && $0 <= .seconds(103) } }
    #expect(try status("file", pipeline).timeoutCount == 1)
    run.cancel()
    _ = await run.value
  }
}
