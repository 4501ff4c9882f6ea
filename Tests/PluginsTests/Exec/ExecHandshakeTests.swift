// SPDX-License-Identifier: Apache-2.0

import Pipeline
import Testing

@testable import Plugins

@Suite("Handshake with an external program")
struct ExecHandshakeTests {
  private func handshake(usesHandshake: Bool) -> ExecHandshake {
    var command = ExecCommand(["/bin/cat"])
    command.usesHandshake = usesHandshake
    command.helloSeconds = 7
    return ExecHandshake(command: command)
  }

  @Test func `a program with a handshake is running once it has answered HELLO in time`() {
    let handshake = handshake(usesHandshake: true)
    #expect(handshake.timeLimit == .seconds(7))
    #expect(handshake.handle(.started) == .sendHello)
    #expect(handshake.handle(.hello(1)) == .run)
    #expect(
      handshake.handle(.hello(2))
        == .refuse(.unsupported, "it speaks protocol 2; this fixcast supports 1"))
    #expect(
      handshake.handle(.timedOut)
        == .refuse(
          .transient(),
          #"it sent no HELLO within 7.0 s; its first line must be {"class":"HELLO","protocol":1}; "#
            + "set hello = false if it does not use this protocol"))
  }

  @Test(arguments: [true, false])
  func `a program without a handshake is running as soon as it is started`(isStarted: Bool) {
    let handshake = handshake(usesHandshake: false)
    #expect(handshake.timeLimit == nil)
    #expect(handshake.handle(isStarted ? .started : .ended) == (isStarted ? .run : .reportEnd))
  }
}
