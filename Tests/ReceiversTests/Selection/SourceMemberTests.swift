// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Positioning
import Testing

@testable import Receivers

/// State and reports of a single source of a group.
@Suite struct SourceMemberTests {
  @Test func `the removal of a receiver that was never reported is not reported`() {
    var bench = SupervisorBench()
    bench.plug(.plugged("ublox"))
    bench.unplug(.plugged("ublox"))
    #expect(bench.infos.isEmpty)
  }

  @Test func `a receiver that delivers fixes again after a failure is reported again`() {
    var bench = SupervisorBench()
    bench.plug(.plugged("ublox"))
    for turn in 1...2 {
      let run = bench.run(of: "/dev/ttyACM0")
      bench.fix("/dev/ttyACM0", from: run)
      #expect(bench.infos.map(\.isActive) == Array(repeating: true, count: turn))
      bench.end(run, SourceFailure(.broken, "no"))
      bench.advance(seconds: 1)
    }
  }

  @Test func `a silent modem port is retried at least every half minute`() {
    var bench = SupervisorBench()
    bench.plug(.plugged("modem", role: .modemPort))
    for _ in 0..<8 {
      bench.end(bench.run(of: "/dev/ttyACM0"), SourceFailure(.noValidSentences, "none"))
      bench.advance(seconds: 31)
      #expect(bench.devnodes == ["/dev/ttyACM0"])
    }
  }
}
