// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import LocationServices
import Pipeline
import Positioning
import Testing

@testable import Plugins

@Suite("End of an external program", .timeLimit(.minutes(5)))
struct ExecEndTests {
  @Test func `cancelling the stop of a sink ends its program without waiting for close_seconds`() async throws {
    let script = try ExecScript()
    var command = try script.command(ExecScript.hello + "exec sleep 1000")
    command.closeSeconds = 50
    let clock = RecordingClock()
    let sink = script.sink(command, clock: clock)
    try await sink.start()
    let stop = Task { await sink.stop() }
    await clock.deadlines.wait { $0.contains(.seconds(50)) }
    // The clock does not advance, so only the cancellation can end the program.
    stop.cancel()
    await stop.value
  }

  @Test func `a sink's program that redirects its outputs still receives events and ends normally`() async throws {
    let script = try ExecScript()
    var command = try script.command("read a; echo closing >&2; exec >/dev/null 2>&1; cat >\"$FOLDER/out\"")
    command.usesHandshake = false
    command.closeSeconds = 50
    let sink = script.sink(command)
    try await sink.start()
    try await sink.receive(ErrorEvent(source: "a", message: "1"))
    await script.waitForLine("closing")
    try await sink.receive(ErrorEvent(source: "a", message: "2"))
    await sink.stop()
    #expect(try script.read("out") == #"{"class":"ERROR","message":"2","source":"a"}"# + "\n")
  }

  @Test func `signals sent to a program that ignores the end of its input are logged with the reason`() async throws {
    let script = try ExecScript()
    var command = try script.command("trap '' TERM; \(ExecScript.hello)while :; do sleep 1000; done")
    (command.closeSeconds, command.killSeconds) = (0, 0)
    let sink = script.sink(command)
    try await sink.start()
    await sink.stop()
    let why = "because it was still running 0.0 s after the end of its input"
    #expect(
      script.notices.events == [
        "exec: sending SIGTERM, \(why)",
        "exec: sending SIGKILL, because it was still running 0.0 s after SIGTERM (sent \(why))",
      ])
  }

  @Test func `a stage's program that closes its output is terminated, and the error names the reason`() async throws {
    let script = try ExecScript()
    var command = try script.command(ExecScript.hello + "read hello; read location; exec >&-; exec sleep 1000")
    command.closeSeconds = 0
    let stage = ExecStage(command: command, now: { .at(0) })
    let (input, inputContinuation) = AsyncStream.makeStream(of: EnrichedLocation.self)
    inputContinuation.yield(EnrichedLocation(.at(1, 2)))
    let error = await #expect(throws: PluginError.self) {
      try await stage.run(input, deliver: { _ in }, report: { _ in })
    }
    inputContinuation.finish()
    #expect(
      error?.why
        == "fixcast stopped it with SIGTERM, because it was still running 0.0 s after the end of "
        + "its output")
  }
}
