// SPDX-License-Identifier: Apache-2.0

import Pipeline
import Testing

@testable import Plugins

@Suite("From when on a program counts as running")
struct ExecGreetingTests {
  private func greeting(saysHello: Bool) -> ExecGreeting {
    var command = ExecCommand(["/bin/cat"])
    command.saysHello = saysHello
    command.helloSeconds = 7
    return ExecGreeting(command: command)
  }

  @Test("one that says hello is told it, and runs when it has answered in time")
  func polite() {
    let greeting = greeting(saysHello: true)
    #expect(greeting.patience == .seconds(7))
    #expect(greeting.handle(.started) == .greet)
    #expect(greeting.handle(.hello(1)) == .run)
    #expect(
      greeting.handle(.hello(2))
        == .refuse(.unsupported, "it speaks protocol 2, and this fixcast 1"))
    #expect(
      greeting.handle(.timeOver)
        == .refuse(
          .transient(),
          #"it said no hello within 7.0 s; its first line has to be {"class":"HELLO","protocol":1}; "#
            + "write hello = false for a program that knows nothing of that"))
  }

  @Test("one that does not is told none and waited for in no way", arguments: [true, false])
  func plain(isThere: Bool) {
    let greeting = greeting(saysHello: false)
    #expect(greeting.patience == nil)
    #expect(greeting.handle(isThere ? .started : .ended) == (isThere ? .run : .explainEnd))
  }
}
