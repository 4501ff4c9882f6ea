// SPDX-License-Identifier: Apache-2.0

import FixcastConfiguration
import FixcastTesting
import Pipeline
import Positioning
import Testing

@testable import Plugins

@Suite("External programs in a pipeline", .timeLimit(.minutes(5)))
struct ExecHostedTests {
  private struct Recording: Sink {
    let name = "recording"
    let seen: EventRecorder<ErrorEvent>
    func receive(_ event: any PipelineEvent) async {
      if let event = event as? ErrorEvent { seen.record(event) }
    }
  }

  private let seen = EventRecorder<ErrorEvent>()
  private let notices = EventRecorder<String>()

  /// A pipeline with the program and another sink, which records all errors.
  private func pipeline(
    _ command: ExecCommand, _ mailbox: MailboxPolicy,
    clock: any Clock<Duration> = ContinuousClock()
  ) -> LocationPipeline {
    let sink = PluginSpecification(
      "exec",
      .sink { [notices] in
        ExecSink(command: command, clock: clock, now: { .at(0) }, logLine: { notices.record($0) })
      }, mailbox: mailbox,
      restart: RestartPolicy(firstDelay: .milliseconds(1), maxDelay: .milliseconds(10)))
    let other = PluginSpecification("recording", .sink { [seen] in Recording(seen: seen) })
    return LocationPipeline(PipelinePlan([sink, other]), environment: PipelineEnvironment(clock: clock))
  }

  @Test func `a program that crashes repeatedly is restarted each time, and other sinks miss no events`() async throws {
    let script = try ExecScript()
    // Each event is larger than a pipe's buffer, so the program crashes while reading it.
    let pipeline = pipeline(
      try script.command(ExecScript.hello + "read hello; echo up >&2; head -c 1 >/dev/null; exit 3"),
      .dropOldest(limit: 1024))
    let run = Task { await pipeline.run() }
    for number in 0..<3 {
      await notices.wait(for: number + 1)
      pipeline.submit(ErrorEvent(source: "a", message: String(repeating: "x", count: 100_000)))
    }
    await notices.wait(for: 4)
    let status = try #require(pipeline.status.first { $0.name == "exec" })
    #expect(status.restartCount == 3)
    #expect(status.errorCount == 3)
    #expect(status.lastError?.description == "/bin/sh: it ended with exit code 3; last line of standard error: up")
    pipeline.finish()
    #expect(await run.value == .finished)
    #expect(seen.events.filter { $0.source == "a" }.count == 3)
  }

  @Test func `a program without a handshake that ends at once is restarted, and each end is reported`() async throws {
    var command = ExecCommand(["/bin/false"])
    command.usesHandshake = false
    let pipeline = pipeline(command, .dropOldest(limit: 1024))
    let run = Task { await pipeline.run() }
    for number in 1...3 {
      // More than a pipe's buffer, so that the write cannot succeed after the program has ended.
      pipeline.submit(ErrorEvent(source: "a", message: String(repeating: "x", count: 100_000)))
      await seen.wait { $0.count { $0.source == "exec" } >= number }
    }
    let status = try #require(pipeline.status.first { $0.name == "exec" })
    #expect(status.errorCount == 3)
    #expect(status.lastError?.description == "/bin/false: it ended with exit code 1")
    pipeline.finish()
    #expect(await run.value == .finished)
    #expect(seen.events.count { $0.source == "a" } == 3)
  }

  @Test func `a program that does not read loses the oldest events, but does not delay other sinks`() async throws {
    let script = try ExecScript()
    var command = try script.command(ExecScript.hello + "exec sleep 1000")
    command.killSeconds = 0.05
    let pipeline = pipeline(command, .dropOldest(limit: 4))
    let run = Task { await pipeline.run() }
    let text = String(repeating: "x", count: 10_000)
    for _ in 0..<100 { pipeline.submit(ErrorEvent(source: "a", message: text)) }
    await seen.wait(for: 100)
    let status = try #require(pipeline.status.first { $0.name == "exec" })
    // A pipe holds 64 KiB; events that fit neither in the pipe nor in the queue are counted.
    #expect(status.droppedCount >= 88)
    #expect(status.queueDepth <= 4)
    run.cancel()
    #expect(await run.value == .cancelled)
  }

  @Test(arguments: [
    [], [SettingEntry("close_seconds", .number(1.5)), SettingEntry("kill_seconds", .integer(3))],
  ])
  func `in a normal stop, a program that ignores SIGTERM is killed only after both time limits`(
    settings: [SettingEntry]
  ) async throws {
    let script = try ExecScript()
    let words = try script.command("trap '' TERM; echo up >&2; \(ExecScript.hello)while :; do sleep 1000; done").words
    let command = try ExecCommand(
      SettingsTable(entries: settings + [SettingEntry("command", .list(words.map(SettingValue.string)))]))
    let clock = RecordingClock()
    let pipeline = pipeline(command, .dropOldest(limit: 4), clock: clock)
    async let run = pipeline.run()
    await notices.wait { $0.contains("exec: up") }
    pipeline.stop()
    let endTimes = [command.closeSeconds, command.killSeconds].map { Duration.seconds($0) }
    await clock.deadlines.wait { $0.contains(endTimes[0]) }
    clock.base.advance(by: endTimes[0])
    await clock.deadlines.wait { $0.contains(endTimes[0] + endTimes[1]) }
    clock.base.advance(by: endTimes[1])
    #expect(await run == .finished)
    #expect(pipeline.stopFailures.isEmpty)
    #expect(pipeline.status.allSatisfy { $0.errorCount == 0 && $0.abandonedCount == 0 })
    #expect(seen.events.isEmpty)
  }
}
