// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Pipeline
import Positioning
import Testing

@testable import Plugins

@Suite("How a program that is a plugin is ended", .timeLimit(.minutes(1)))
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
      ExecScript.hello + "trap '' TERM\nsetsid sleep 1000 & echo up >&2\nwait; wait; sleep 1000")
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
    #expect(programs.killAll() == 1)
    let error = await process.ended()
    #expect(error.why.hasPrefix("it was ended by signal 9"), "\(error)")
    #expect(programs.killAll() == 0)
  }
}
