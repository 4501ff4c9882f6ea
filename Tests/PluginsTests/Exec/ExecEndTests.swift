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
    let clock = RecordingClock()
    let sink = script.sink(command, clock: clock)
    try await sink.start()
    let stop = Task { await sink.stop() }
    await clock.deadlines.wait { $0.contains(.seconds(50)) }
    // The clock stands still: nothing but the cancel ends it.
    stop.cancel()
    await stop.value
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
