// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Positioning
import Testing

@testable import DaemonServer

@Suite("The track of the last hour") struct TrackRingTests {
  private static let start = MonotonicTime.at(1000)

  private func fix(_ second: Int, mode: FixMode = .threeDimensional, hasTime: Bool = true) -> Fix {
    .at(54, Double(second) / 1e5, mode: mode, time: hasTime ? .noon(plus: second) : nil)
  }

  private func ring(seconds: Int) -> TrackRing {
    var ring = TrackRing()
    for second in 0..<seconds { ring.take(fix(second), at: at(second)) }
    return ring
  }

  private func at(_ second: Int) -> MonotonicTime { Self.start.advanced(bySeconds: Double(second)) }

  @Test func `one point in ten seconds is kept, the oldest first`() {
    let points = ring(seconds: 35).points(at: at(35))
    #expect(points.map(\.time) == [0, 10, 20, 30].map { UTCTime.noon(plus: $0) })
  }

  @Test func `after two hours, there are the 360 points of the last hour in order`() {
    let points = ring(seconds: 7200).points(at: at(7199))
    #expect(points.map(\.time) == (0..<360).map { UTCTime.noon(plus: 3600 + $0 * 10) })
  }

  @Test func `points older than an hour are omitted, also without new ones`() {
    let ring = ring(seconds: 100)
    #expect(ring.points(at: at(3600)).count == 10)
    #expect(ring.points(at: at(3645)).count == 5)
    #expect(ring.points(at: at(8000)).isEmpty)
    #expect(TrackRing().points(at: at(0)).isEmpty)
  }

  @Test func `fixes without a position or a time are not points of the track`() {
    var ring = TrackRing()
    ring.take(fix(0, mode: .none), at: at(0))
    ring.take(fix(1, hasTime: false), at: at(1))
    #expect(ring.points(at: at(2)).isEmpty)
  }
}
