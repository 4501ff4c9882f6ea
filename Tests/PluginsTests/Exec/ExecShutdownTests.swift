// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

@testable import Plugins

@Suite("How a program is ended")
struct ExecShutdownTests {
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
      actions([.close, .outputEnded, .exited, .timeOver(1)]) == [
        .closeInput, .startTimer(1, .seconds(2)), .signal(SIGKILL), .done,
      ])
  }

  @Test("one that does not is asked again, and then not asked any more")
  func stubborn() {
    #expect(
      actions([.close, .timeOver(1), .timeOver(1), .timeOver(2), .exited]) == [
        .closeInput, .startTimer(1, .seconds(2)), .signal(SIGTERM), .startTimer(2, .seconds(3)),
        .signal(SIGKILL), .signal(SIGKILL), .done,
      ])
  }

  @Test("in a hurry the end of the input is not waited for")
  func hurry() {
    #expect(
      actions([.close, .terminate(.stop), .timeOver(1), .timeOver(2)]) == [
        .closeInput, .startTimer(1, .seconds(2)), .signal(SIGTERM), .startTimer(2, .seconds(3)),
        .signal(SIGKILL),
      ])
    #expect(actions([.terminate(.stop), .close, .exited, .close]).last == .done)
  }

  @Test("one that says nothing more is given time, and its input is left to who writes to it")
  func silent() {
    #expect(
      actions([.outputEnded, .timeOver(1)]) == [
        .startTimer(1, .seconds(2)), .signal(SIGTERM), .startTimer(2, .seconds(3)),
      ])
    #expect(actions([.outputEnded, .close]) == [.startTimer(1, .seconds(2)), .closeInput])
  }

  @Test(
    "who has ended it, and why, stands in the sentence about its end",
    arguments: [
      (
        [.close, .timeOver(1)], .signaled(SIGTERM),
        "fixcast ended it by SIGTERM, since it still ran 2.0 s after the end of its input"
      ),
      (
        [.outputEnded, .timeOver(1)], .exited(143),
        "it ended with exit code 143, after fixcast sent it SIGTERM, since it still ran 2.0 s after "
          + "the end of its output"
      ),
      (
        [.close, .timeOver(1), .timeOver(2)], .signaled(SIGKILL),
        "fixcast ended it by SIGKILL, since it still ran 3.0 s after SIGTERM, which it was sent since "
          + "it still ran 2.0 s after the end of its input"
      ),
      (
        [.terminate(.unread)], .signaled(SIGTERM),
        "fixcast ended it by SIGTERM, since it had not taken in time what it was sent"
      ),
      // That it takes nothing may be because it is gone.
      ([.terminate(.deaf)], .exited(3), "it ended with exit code 3"),
      (
        [.terminate(.deaf)], .signaled(SIGTERM),
        "it took nothing any more, and it was ended by signal 15 (Terminated)"
      ),
      (
        [.terminate(.stop), .close], .exited(0),
        "it ended with exit code 0, after fixcast sent it SIGTERM, since it was to stop at once"
      ),
      (
        [.close, .timeOver(1)], .signaled(SIGKILL),
        "it was ended by signal 9 (Killed), which fixcast did not send"
      ),
      (
        [], .signaled(SIGTERM), "it was ended by signal 15 (Terminated), which fixcast did not send"
      ),
      ([], .signaled(SIGSEGV), "it was ended by signal 11 (Segmentation fault)"),
      ([.close, .exited], .exited(0), "it ended with exit code 0"),
      ([], .notStarted("no"), "it cannot be started: no"),
    ] as [([ExecShutdown.Event], ExecEnd, String)])
  func sentences(events: [ExecShutdown.Event], end: ExecEnd, sentence: String) {
    #expect(end.sentence(after: shutdown(events)) == sentence)
  }

  @Test("only what had time to end, or heard no SIGTERM, is late")
  func late() {
    #expect(!shutdown([.close]).isLate && !shutdown([.terminate(.stop)]).isLate)
    #expect(shutdown([.close, .timeOver(1)]).isLate)
    #expect(shutdown([.terminate(.stop), .timeOver(1)]).isLate)
  }
}
