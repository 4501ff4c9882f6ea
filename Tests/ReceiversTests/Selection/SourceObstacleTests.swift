// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Positioning
import Testing

@testable import Receivers

/// What is said where no fix comes though something is there.
@Suite struct SourceObstacleTests {
  @Test("a receiver that says nothing is told of once, five seconds after its port was opened")
  func tellsOfSilence() {
    var bench = SupervisorBench()
    bench.plug(.plugged("ublox"))
    bench.pass(4.9)
    #expect(bench.losses.isEmpty)
    bench.pass(60)
    #expect(bench.losses.map(\.reason) == [.silent])
    #expect(bench.losses.first?.detail?.hasPrefix("/dev/ttyACM0: no sentence") == true)
  }

  @Test("a gpsd that is to read the receiver and does not run is told of once")
  func tellsOfAbsentGPSD() {
    var bench = SupervisorBench()
    bench.send(.discovered(.found(.plugged("ublox")), isConfiguredForGPSD: true))
    bench.pass(60)
    #expect(bench.losses.map(\.detail) == [GPSDConfiguration.absence(of: "/dev/ttyACM0")])
  }
}
