// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

@testable import Plugins

@Suite("How a program is ended")
struct ExecShutdownTests {
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
      actions([.close, .terminate, .timeOver(1), .timeOver(2)]) == [
        .closeInput, .startTimer(1, .seconds(2)), .signal(SIGTERM), .startTimer(2, .seconds(3)),
        .signal(SIGKILL),
      ])
    #expect(actions([.terminate, .close, .exited, .close]).last == .done)
  }

  @Test("one that says nothing more is given time, and its input is left to who writes to it")
  func silent() {
    #expect(
      actions([.outputEnded, .timeOver(1)]) == [
        .startTimer(1, .seconds(2)), .signal(SIGTERM), .startTimer(2, .seconds(3)),
      ])
    #expect(actions([.outputEnded, .close]) == [.startTimer(1, .seconds(2)), .closeInput])
  }
}
