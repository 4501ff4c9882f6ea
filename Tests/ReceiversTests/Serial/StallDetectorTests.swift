// SPDX-License-Identifier: Apache-2.0

import Positioning
import Testing

@testable import Receivers

/// Detection of pauses of the process.
@Suite struct StallDetectorTests {
  private func time(_ milliseconds: Int64) -> MonotonicTime {
    MonotonicTime(nanoseconds: milliseconds * 1_000_000)
  }

  /// Returns the result of each wait, given its start, timeout and end in milliseconds.
  private func results(_ waits: [(start: Int64, timeout: Int32, end: Int64)]) -> [Bool] {
    var detector = StallDetector()
    return waits.map { wait in
      detector.beginWait(atMostMilliseconds: wait.timeout, at: time(wait.start))
      return detector.endWait(at: time(wait.end))
    }
  }

  @Test func `a wait for an idle line does not count as a pause of the process`() {
    let waits = (0..<100).map {
      (start: Int64($0) * 1000, timeout: Int32(1000), end: Int64($0 + 1) * 1000)
    }
    #expect(!results(waits).contains(true))
  }

  @Test(arguments: [0, 1000, 2000])
  func `the time between waits and beyond a wait's timeout together count as a pause`(gap: Int64) {
    let results = results([
      (start: 0, timeout: 1000, end: 10),
      (start: 10 + gap, timeout: 500, end: 2510),
      (start: 3000 + gap, timeout: 500, end: 6001),
      (start: 6001, timeout: 500, end: 6002),
    ])
    #expect(results == [false, false, true, false])
  }

  @Test func `a pause of the process between the end of a wait and reading is detected`() {
    var detector = StallDetector()
    #expect(!detector.hasStalled(at: time(5000)))
    detector.beginWait(atMostMilliseconds: 1000, at: time(0))
    let isStalled = detector.endWait(at: time(10))
    #expect(!isStalled)
    #expect(!detector.hasStalled(at: time(2010)))
    #expect(detector.hasStalled(at: time(2011)))
  }
}
