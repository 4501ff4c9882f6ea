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
}
