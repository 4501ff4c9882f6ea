// SPDX-License-Identifier: Apache-2.0

import Positioning
import Testing

@testable import Receivers

/// Due times of the fixes of a recording.
@Suite struct ReplayPacerTests {
  private func due(_ seconds: [Int64?], factor: Double) -> [Duration] {
    var pacer = ReplayPacer(factor: factor)
    return seconds.map { second in
      pacer.dueOffset(of: second.map { UTCTime(secondsSince1970: $0) })
    }
  }

  @Test func `with factor 1, a replay takes as long as the recording`() {
    #expect(due([100, 101, 103], factor: 1) == [.zero, .seconds(1), .seconds(3)])
  }

  @Test func `a replay divides its waits by the factor`() {
    #expect(due([0, 4, 8], factor: 4) == [.zero, .seconds(1), .seconds(2)])
    #expect(due([0, 1], factor: 0.5) == [.zero, .seconds(2)])
  }

  @Test func `a replay shortens gaps of the recording to ten seconds`() {
    #expect(due([0, 86_400, 86_401], factor: 1) == [.zero, .seconds(10), .seconds(11)])
    #expect(due([.min, .max, 0], factor: 1) == [.zero, .seconds(10), .seconds(10)])
  }

  @Test func `times that repeat or go back cause no wait in a replay`() {
    #expect(
      due([50, 50, 20, 21], factor: 1) == [.zero, .zero, .zero, .seconds(1)])
  }

  @Test func `a fix without a time is due with the previous fix`() {
    #expect(
      due([nil, 7, nil, 9, nil], factor: 1)
        == [.zero, .zero, .zero, .seconds(2), .seconds(2)])
  }

  @Test(arguments: [0, -1, .nan, .infinity, 1e9])
  func `a replay factor outside 0.001 to 100,000 is rejected`(factor: Double) {
    #expect(ReplayPace.times(factor) == nil)
  }
}
