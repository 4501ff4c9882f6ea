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
    var bench = GPSDBench(watching: true)
    bench.send(heading("/dev/a", 10))
    bench.send(heading("/dev/a", 11))
    bench.sendEpochs(2)
    #expect(bench.fixes.map(\.headingDegreesTrue) == [11, nil])
  }

  @Test func `a heading is added to a fix of its own device, or of any receiver if it is from a compass`() {
    for (device, expected) in [("/dev/a", 1), ("/dev/compass", 1), ("/dev/b", 0)] {
      var bench = GPSDBench(watching: true)
      bench.send(.report(.position(device: "/dev/b", bench.tpv(mode: .none))))
      bench.sendEpochs(1)
      bench.send(heading(device, 10))
      bench.send(.report(.position(device: "/dev/a", bench.tpv())))
      bench.advance(milliseconds: 300)
      let headings = bench.fixes.filter { $0.source == "/dev/a" }.compactMap(\.headingDegreesTrue)
      #expect(headings.count == expected, "\(device)")
    }
  }

  @Test func `a heading that is older than two seconds is not added to a fix`() {
    var bench = GPSDBench(watching: true)
    bench.send(heading("/dev/a", 10))
    bench.wait(seconds: 2.5)
    bench.sendEpochs(1)
    #expect(bench.fixes.map(\.headingDegreesTrue) == [nil])
  }
}
