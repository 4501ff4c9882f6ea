// SPDX-License-Identifier: Apache-2.0

import Positioning
import Receivers
import Testing

@Suite("Times of arrival of an epoch")
struct ArrivalTimeTests {
  @Test func `a fix has the times of arrival of the first and of the last report of its epoch`() {
    var fixture = DecoderFixture(.live)
    for second in 0..<3 {
      fixture.send(
        "GPRMC,12000\(second).000,A,4807.038,N,01131.000,E,0.0,0.0,211126,,,A",
        "GPGGA,12000\(second).000,4807.038,N,01131.000,E,1,08,0.9,545.4,M,46.9,M,,",
        "GPVTG,0.0,T,,M,0.0,N,0.0,K,A")
      fixture.pause(milliseconds: 985)
    }
    fixture.finish()
    let starts: [Int64] = [5_000_000, 1_005_000_000, 2_005_000_000]
    #expect(fixture.fixes.map { $0.firstReceivedAt?.nanoseconds } == starts)
    #expect(fixture.fixes.map { $0.receivedAt?.nanoseconds } == starts.map { $0 + 10_000_000 })
    #expect(fixture.fixes.compactMap { Location($0)?.firstReceivedAt?.nanoseconds } == starts)
  }
}
