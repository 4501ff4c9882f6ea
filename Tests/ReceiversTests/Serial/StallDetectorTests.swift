// SPDX-License-Identifier: Apache-2.0

import Positioning
import Testing

@testable import Receivers

/// Whether what waits in a port may be old.
@Suite struct StallDetectorTests {
  private func time(_ milliseconds: Int64) -> MonotonicTime {
    MonotonicTime(nanoseconds: milliseconds * 1_000_000)
  }

  /// What each wait says of its start, the most it may last, and its end in milliseconds.
  private func verdicts(_ waits: [(start: Int64, most: Int32, end: Int64)]) -> [Bool] {
    var detector = StallDetector()
    return waits.map { wait in
      detector.beginWait(atMostMilliseconds: wait.most, at: time(wait.start))
      return detector.endWait(at: time(wait.end))
    }
  }

  @Test("an idle line is no stall, however long")
  func idle() {
    let waits = (0..<100).map {
      (start: Int64($0) * 1000, most: Int32(1000), end: Int64($0 + 1) * 1000)
    }
    #expect(!verdicts(waits).contains(true))
  }

  @Test("time beyond the wait counts, and time between waits", arguments: [0, 1000, 2000])
  func stops(away: Int64) {
    let told = verdicts([
      (start: 0, most: 1000, end: 10),
      (start: 10 + away, most: 500, end: 2510),
      (start: 3000 + away, most: 500, end: 6001),
      (start: 6001, most: 500, end: 6002),
    ])
    #expect(told == [false, false, true, false])
  }

  @Test("a stop between the look and what is read after it is one too")
  func afterTheLook() {
    var detector = StallDetector()
    #expect(!detector.hasStalled(at: time(5000)))
    detector.beginWait(atMostMilliseconds: 1000, at: time(0))
    let isStalled = detector.endWait(at: time(10))
    #expect(!isStalled)
    #expect(!detector.hasStalled(at: time(2010)))
    #expect(detector.hasStalled(at: time(2011)))
  }
}
