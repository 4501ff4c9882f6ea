// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Positioning
import Testing

@testable import Receivers

/// What is told and remembered of one source of a group.
@Suite struct SourceMemberTests {
  @Test("the unplugging of a receiver that was never told of is not told")
  func forgetsUntold() {
    var bench = SupervisorBench()
    bench.plug(.plugged("ublox"))
    bench.unplug(.plugged("ublox"))
    #expect(bench.infos.isEmpty)
  }
  @Test("a receiver that is heard again after a failure is told of again")
  func tellsAgain() {
    var bench = SupervisorBench()
    bench.plug(.plugged("ublox"))
    for turn in 1...2 {
      let run = bench.run(of: "/dev/ttyACM0")
      bench.fix("/dev/ttyACM0", from: run)
      #expect(bench.infos.map(\.isActive) == Array(repeating: true, count: turn))
      bench.end(run, SourceFailure(.broken, "no"))
      bench.pass(1)
    }
  }
  @Test("the port of a modem is tried again within half a minute, however long it was silent")
  func triesModemsAgain() {
    var bench = SupervisorBench()
    bench.plug(.plugged("modem", role: .modemPort))
    for _ in 0..<8 {
      bench.end(bench.run(of: "/dev/ttyACM0"), SourceFailure(.notYetHealthy, "none"))
      bench.pass(31)
      #expect(bench.devnodes == ["/dev/ttyACM0"])
    }
  }
}
