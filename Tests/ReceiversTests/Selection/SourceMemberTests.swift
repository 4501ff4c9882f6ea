// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Positioning
import Testing

@testable import Receivers

/// State and reports of a single source of a group.
@Suite struct SourceMemberTests {
  @Test func `the removal of a receiver that was never reported is not reported`() {
    var fixture = SupervisorFixture()
    fixture.plug(.plugged("ublox"))
    fixture.unplug(.plugged("ublox"))
    #expect(fixture.infos.isEmpty)
  }

  @Test func `a receiver that delivers fixes again after a failure is reported again`() {
    var fixture = SupervisorFixture()
    fixture.plug(.plugged("ublox"))
    for turn in 1...2 {
      let run = fixture.run(of: "/dev/ttyACM0")
      fixture.fix("/dev/ttyACM0", from: run)
      #expect(fixture.infos.map(\.isActive) == Array(repeating: true, count: turn))
      fixture.end(run, SourceFailure(.disconnected, "no"))
      fixture.advance(seconds: 1)
    }
  }

  @Test func `a silent modem port is retried at least every half minute`() {
    var fixture = SupervisorFixture()
    fixture.plug(.plugged("modem", role: .modemPort))
    for _ in 0..<8 {
      fixture.end(fixture.run(of: "/dev/ttyACM0"), SourceFailure(.silent, "none"))
      fixture.advance(seconds: 31)
      #expect(fixture.devnodes == ["/dev/ttyACM0"])
    }
  }
}
