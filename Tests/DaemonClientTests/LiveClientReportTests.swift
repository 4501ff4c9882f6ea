// SPDX-License-Identifier: Apache-2.0

import DaemonClient
import FixcastTesting
import LocationClient
import LocationServices
import Positioning
import Testing

@Suite("The log of a live location client", .timeLimit(.minutes(5)))
struct LiveClientReportTests {
  @Test func `a live client without a daemon writes the errors of its source to the given log`() async throws {
    let board = try BoardFixture()
    let client = LocationClient.live(
      purpose: "follow the board", daemon: board.address,
      otherwise: InProcess(policy: { AllowAll(initially: .authorizedAlways) }, source: { BrokenSource() }),
      report: { [reports = board.reports] in reports.record($0) })
    #expect(client.authorizationStatus() == .authorizedAlways)
    #expect(await board.reports.wait(for: 1).first == "busy")
  }

  @Test func `an alternative without a policy stores none, so the manager makes one with its own log`() {
    #expect(InProcess { BrokenSource() }.policy == nil)
  }
}
