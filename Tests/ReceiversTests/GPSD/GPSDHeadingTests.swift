// SPDX-License-Identifier: Apache-2.0

import Positioning
import Testing

@testable import Receivers

/// Headings from gpsd's ATT reports.
@Suite struct GPSDHeadingTests {
  private func heading(_ device: String, _ degrees: Double) -> GPSDSession.Event {
    .report(.heading(GPSDHeading(device: device, degreesTrue: degrees)))
  }

  @Test func `a heading from gpsd is added to the next fix only`() {
    var fixture = GPSDSessionFixture(watching: true)
    fixture.send(heading("/dev/a", 10))
    fixture.send(heading("/dev/a", 11))
    fixture.sendEpochs(2)
    #expect(fixture.fixes.map(\.headingDegreesTrue) == [11, nil])
  }

  @Test func `a heading is added to a fix of its own device, or of any receiver if it is from a compass`() {
    for (device, expected) in [("/dev/a", 1), ("/dev/compass", 1), ("/dev/b", 0)] {
      var fixture = GPSDSessionFixture(watching: true)
      fixture.send(.report(.position(device: "/dev/b", fixture.tpv(mode: .none))))
      fixture.sendEpochs(1)
      fixture.send(heading(device, 10))
      fixture.send(.report(.position(device: "/dev/a", fixture.tpv())))
      fixture.advance(milliseconds: 300)
      let headings = fixture.fixes.filter { $0.source == "/dev/a" }.compactMap(\.headingDegreesTrue)
      #expect(headings.count == expected, "\(device)")
    }
  }

  @Test func `a heading that is older than two seconds is not added to a fix`() {
    var fixture = GPSDSessionFixture(watching: true)
    fixture.send(heading("/dev/a", 10))
    fixture.wait(seconds: 2.5)
    fixture.sendEpochs(1)
    #expect(fixture.fixes.map(\.headingDegreesTrue) == [nil])
  }
}
