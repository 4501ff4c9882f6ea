// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import LocationServices
import Pipeline
import Positioning
import Testing

@testable import Plugins

@Suite("How a program that is a plugin is ended", .timeLimit(.minutes(5)))
struct ExecEndTests {
  @Test("a stop that is to be quick after all does not wait for the end that was asked for")
  func hurried() async throws {
    let script = try ExecScript()
    var command = try script.command(ExecScript.hello + "exec sleep 1000")
    command.closeSeconds = 50
    let clock = LoudClock()
    let sink = script.sink(command, clock: clock)
    try await sink.start()
    let stop = Task { await sink.stop() }
    await clock.deadlines.wait { $0.contains(.seconds(50)) }
    // The clock stands still: nothing but the cancel ends it.
    stop.cancel()
    await stop.value
  }

  @Test("at the end what no plugin could end is killed, with what it has started")
  func killed() async throws {
    let script = try ExecScript()
    let programs = ExecPrograms()
    var command = try script.command(
      ExecScript.hello + "trap '' TERM\nsleep 1000 & echo up >&2\nwait; wait; sleep 1000")
    command.closeSeconds = 50
    let process = ExecProcess(
      command, clock: LoudClock(),
      log: ExecLog(
        name: "exec", now: { MonotonicTime(nanoseconds: 0) },
        tell: { [notices = script.notices] in notices.record($0) }),
      launcher: ProcessLauncher(programs: programs), received: { _ in })
    try await process.start(hello: [10])
    await script.waitForLine("up")
    // On a clock that stands still nothing else ends it.
    #expect(await programs.close(clock: LoudClock()) == 1)
    let error = await process.ended()
    #expect(error.why.hasPrefix("it was killed, since fixcast is about to end"), "\(error)")
    #expect(await programs.close(clock: LoudClock()) == 0)
  }

  @Test(
    "one that sends what it says elsewhere, as sink, is given what comes, and ends as others do")
  func closedOutputs() async throws {
    let script = try ExecScript()
    var command = try script.command(
      "read a; echo closing >&2; exec >/dev/null 2>&1; cat >\"$FOLDER/out\"")
    command.saysHello = false
    command.closeSeconds = 50
    let sink = script.sink(command)
    try await sink.start()
    try await sink.receive(ErrorEvent(source: "a", message: "1"))
    await script.waitForLine("closing")
    try await sink.receive(ErrorEvent(source: "a", message: "2"))
    await sink.stop()
    #expect(try script.read("out") == #"{"class":"ERROR","message":"2","source":"a"}"# + "\n")
  }

  @Test("one that does not end when it should is told of when it is sent a signal, and why")
  func told() async throws {
    let script = try ExecScript()
    var command = try script.command(
      "trap '' TERM; \(ExecScript.hello)while :; do sleep 1000; done")
    (command.closeSeconds, command.killSeconds) = (0, 0)
    let sink = script.sink(command)
    try await sink.start()
    await sink.stop()
    let why = "since it still ran 0.0 s after the end of its input"
    #expect(
      script.notices.events == [
        "exec: is sent SIGTERM, \(why)",
        "exec: is sent SIGKILL, since it still ran 0.0 s after SIGTERM, which it was sent \(why)",
      ])
  }

  @Test("a stage's program that says nothing any more is ended, and that is how its end is told")
  func silent() async throws {
    let script = try ExecScript()
    var command = try script.command(
      ExecScript.hello + "read hello; read location; exec >&-; exec sleep 1000")
    command.closeSeconds = 0
    let stage = ExecStage(command: command, now: { MonotonicTime(nanoseconds: 0) })
    let (input, give) = AsyncStream.makeStream(of: EnrichedLocation.self)
    give.yield(EnrichedLocation(Location(coordinate: .at(1, 2))))
    let error = await #expect(throws: PluginError.self) {
      try await stage.run(input, deliver: { _ in }, report: { _ in })
    }
    give.finish()
    #expect(
      error?.why
        == "fixcast ended it by SIGTERM, since it still ran 0.0 s after the end of its output")
  }
}
