// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

@testable import Plugins

@Suite("Shutdown of an external program")
struct ExecShutdownTests {
  private static let stopReason = "it had to stop immediately"

  private func shutdown(_ events: [ExecShutdown.Event]) -> ExecShutdown {
    var shutdown = ExecShutdown(closeTime: .seconds(2), killTime: .seconds(3))
    for event in events { _ = shutdown.handle(event) }
    return shutdown
  }

  private func actions(_ events: [ExecShutdown.Event]) -> [ExecShutdown.Action] {
    var shutdown = ExecShutdown(closeTime: .seconds(2), killTime: .seconds(3))
    return events.flatMap { shutdown.handle($0) }
  }

  @Test func `a program that exits when its input ends gets no signal; its process group is then killed`() {
    #expect(
      actions([.close, .outputEnded, .exited, .timedOut(1)]) == [
        .closeInput, .startTimer(1, .seconds(2)), .signal(SIGKILL), .done,
      ])
  }

  @Test func `a program that ignores the end of its input gets SIGTERM, then SIGKILL`() {
    #expect(
      actions([.close, .timedOut(1), .timedOut(1), .timedOut(2), .exited]) == [
        .closeInput, .startTimer(1, .seconds(2)), .signal(SIGTERM), .startTimer(2, .seconds(3)),
        .signal(SIGKILL), .signal(SIGKILL), .done,
      ])
  }

  @Test func `an immediate stop sends SIGTERM to the program without waiting for the close time limit`() {
    #expect(
      actions([.close, .terminate(reason: Self.stopReason), .timedOut(1), .timedOut(2)]) == [
        .closeInput, .startTimer(1, .seconds(2)), .signal(SIGTERM), .startTimer(2, .seconds(3)),
        .signal(SIGKILL),
      ])
    #expect(actions([.terminate(reason: Self.stopReason), .close, .exited, .close]).last == .done)
  }

  @Test func `a program that closes its output keeps its input, and gets SIGTERM after the close time limit`() {
    #expect(
      actions([.outputEnded, .timedOut(1)]) == [
        .startTimer(1, .seconds(2)), .signal(SIGTERM), .startTimer(2, .seconds(3)),
      ])
    #expect(actions([.outputEnded, .close]) == [.startTimer(1, .seconds(2)), .closeInput])
  }

  @Test(
    arguments: [
      (
        [.close, .timedOut(1)], .signaled(SIGTERM),
        "fixcast stopped it with SIGTERM, because it was still running 2.0 s after the end of its "
          + "input"
      ),
      (
        [.outputEnded, .timedOut(1)], .exited(143),
        "it ended with exit code 143, after fixcast sent it SIGTERM, because it was still running "
          + "2.0 s after the end of its output"
      ),
      (
        [.close, .timedOut(1), .timedOut(2)], .signaled(SIGKILL),
        "fixcast stopped it with SIGKILL, because it was still running 3.0 s after SIGTERM "
          + "(sent because it was still running 2.0 s after the end of its input)"
      ),
      (
        [.terminate(reason: "it did not read its input in time")], .signaled(SIGTERM),
        "fixcast stopped it with SIGTERM, because it did not read its input in time"
      ),
      // A failed write may mean that the program has already ended.
      ([.terminate(reason: nil)], .exited(3), "it ended with exit code 3"),
      (
        [.terminate(reason: nil)], .signaled(SIGTERM),
        "it was ended by signal 15 (Terminated)"
      ),
      (
        [.terminate(reason: Self.stopReason), .close], .exited(0),
        "it ended with exit code 0, after fixcast sent it SIGTERM, because it had to stop "
          + "immediately"
      ),
      (
        [.close, .timedOut(1)], .signaled(SIGKILL),
        "it was ended by signal 9 (Killed)"
      ),
      (
        [], .signaled(SIGTERM), "it was ended by signal 15 (Terminated)"
      ),
      ([], .signaled(SIGSEGV), "it was ended by signal 11 (Segmentation fault)"),
      ([.close, .exited], .exited(0), "it ended with exit code 0"),
      ([], .notStarted("no"), "it cannot be started: no"),
    ] as [([ExecShutdown.Event], ExecEnd, String)])
  func `the error of an ended program says whether and why Fixcast stopped the program`(
    events: [ExecShutdown.Event], end: ExecEnd, description: String
  ) {
    #expect(shutdown(events).description(of: end) == description)
  }
}
