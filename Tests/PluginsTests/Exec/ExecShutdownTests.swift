// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

@testable import Plugins

@Suite("How a program is ended")
struct ExecShutdownTests {
  private static let stop = "it had to stop at once"

  private func shutdown(_ events: [ExecShutdown.Event]) -> ExecShutdown {
    var shutdown = ExecShutdown(closeTime: .seconds(2), killTime: .seconds(3))
    for event in events { _ = shutdown.handle(event) }
    return shutdown
  }

  private func actions(_ events: [ExecShutdown.Event]) -> [ExecShutdown.Action] {
    var shutdown = ExecShutdown(closeTime: .seconds(2), killTime: .seconds(3))
    return events.flatMap { shutdown.handle($0) }
  }

  @Test("one that ends with its input gets no signal but for what it has left behind")
  func obedient() {
    #expect(
      actions([.close, .outputEnded, .exited, .timedOut(1)]) == [
        .closeInput, .startTimer(1, .seconds(2)), .signal(SIGKILL), .done,
      ])
  }

  @Test("one that does not is asked again, and then not asked any more")
  func stubborn() {
    #expect(
      actions([.close, .timedOut(1), .timedOut(1), .timedOut(2), .exited]) == [
        .closeInput, .startTimer(1, .seconds(2)), .signal(SIGTERM), .startTimer(2, .seconds(3)),
        .signal(SIGKILL), .signal(SIGKILL), .done,
      ])
  }

  @Test("in a hurry the end of the input is not waited for")
  func hurry() {
    #expect(
      actions([.close, .terminate(reason: Self.stop), .timedOut(1), .timedOut(2)]) == [
        .closeInput, .startTimer(1, .seconds(2)), .signal(SIGTERM), .startTimer(2, .seconds(3)),
        .signal(SIGKILL),
      ])
    #expect(actions([.terminate(reason: Self.stop), .close, .exited, .close]).last == .done)
  }

  @Test("one that says nothing more is given time, and its input is left to who writes to it")
  func silent() {
    #expect(
      actions([.outputEnded, .timedOut(1)]) == [
        .startTimer(1, .seconds(2)), .signal(SIGTERM), .startTimer(2, .seconds(3)),
      ])
    #expect(actions([.outputEnded, .close]) == [.startTimer(1, .seconds(2)), .closeInput])
  }

  @Test(
    "who has ended it, and why, stands in the sentence about its end",
    arguments: [
      (
        [.close, .timedOut(1)], .signaled(SIGTERM),
        "fixcast ended it by SIGTERM, since it still ran 2.0 s after the end of its input"
      ),
      (
        [.outputEnded, .timedOut(1)], .exited(143),
        "it ended with exit code 143, after fixcast sent it SIGTERM, since it still ran 2.0 s after "
          + "the end of its output"
      ),
      (
        [.close, .timedOut(1), .timedOut(2)], .signaled(SIGKILL),
        "fixcast ended it by SIGKILL, since it still ran 3.0 s after SIGTERM, which it was sent since "
          + "it still ran 2.0 s after the end of its input"
      ),
      (
        [.terminate(reason: "it had not taken in time what it was sent")], .signaled(SIGTERM),
        "fixcast ended it by SIGTERM, since it had not taken in time what it was sent"
      ),
      // That it takes nothing may be because it is gone.
      ([.terminate(reason: nil)], .exited(3), "it ended with exit code 3"),
      (
        [.terminate(reason: nil)], .signaled(SIGTERM),
        "it was ended by signal 15 (Terminated)"
      ),
      (
        [.terminate(reason: Self.stop), .close], .exited(0),
        "it ended with exit code 0, after fixcast sent it SIGTERM, since it had to stop at once"
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
  func sentences(events: [ExecShutdown.Event], end: ExecEnd, sentence: String) {
    #expect(shutdown(events).sentence(for: end) == sentence)
  }
}
