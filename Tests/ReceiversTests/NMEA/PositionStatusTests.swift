// SPDX-License-Identifier: Apache-2.0

import Positioning
import Testing

@testable import Receivers

/// The status letter of RMC and GLL, beside the quality of GGA.
@Suite struct PositionStatusTests {
  private func fixes(_ bodies: String...) -> [Fix] {
    var fixture = DecoderFixture()
    fixture.send(bodies)
    fixture.finish()
    return fixture.fixes
  }

  private static let gga =
    "GNGGA,091510.00,5130.0000,N,00006.0000,W,4,28,0.5,48.36,M,45.90,M,1.0,0"

  private func rmc(_ status: String, _ mode: String) -> String {
    "GNRMC,091510.00,\(status),5130.0000,N,00006.0000,W,0.004,47.0,270326,2.5,E\(mode)"
  }

  private func gll(_ status: String, _ mode: String) -> String {
    "GNGLL,5130.0000,N,00006.0000,W,091510.00,\(status)\(mode)"
  }

  @Test(arguments: [
    ("D", ",R,V"), ("D", ",D"), ("D", ""), ("A", ",R"), ("X", ",A"), ("X", ",D"), ("X", ",F"),
    ("X", ",R"), ("X", ",P"), ("", ",R"), ("a", ",A"),
  ])
  func `the status D is a valid position, and an unknown status with a valid mode does not void GGA`(
    status: String, mode: String
  ) {
    // RTK float has priority over RTK fixed.
    let expected: FixStatus = mode == ",F" ? .rtkFloat : .rtkFixed
    for other in [rmc(status, mode), gll(status, mode)] {
      for order in [[Self.gga, other], [other, Self.gga]] {
        let fixes = fixes(order[0], order[1])
        #expect(fixes.map(\.mode) == [.threeDimensional], "\(order)")
        #expect(fixes.map(\.status) == [expected], "\(order)")
      }
    }
  }

  @Test(arguments: [
    ("V", ""), ("V", ",A"), ("D", ",N"), ("A", ",N"), ("L", ""), ("X", ",N"), ("X", ",E"),
    ("X", ",S"),
  ])
  func `a void status, mode N, or an unknown status without a mode from satellites voids GGA`(
    status: String, mode: String
  ) {
    #expect(fixes(Self.gga, rmc(status, mode)).map(\.mode) == [FixMode.none])
    #expect(fixes(Self.gga, gll(status, mode)).map(\.mode) == [FixMode.none])
  }

  @Test func `RMC alone has a position with status D, and none with an unknown status`() {
    #expect(fixes(rmc("D", ",D")).map(\.mode) == [.twoDimensional])
    #expect(fixes(rmc("X", ",A")).map(\.mode) == [FixMode.none])
    #expect(fixes(rmc("X", ",A")).map(stamp) == ["2026-3-27 9:15:10"])
  }
}
