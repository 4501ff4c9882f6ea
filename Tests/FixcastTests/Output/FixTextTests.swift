// SPDX-License-Identifier: Apache-2.0

import Positioning
import Testing

@testable import fixcast

/// The text of a fix as `fixcast locate` prints it.
@Suite struct FixTextTests {
  private static let now = MonotonicTime(nanoseconds: 50_000_000_000)

  private static func time(_ receivedAt: MonotonicTime?) -> String? {
    var fix = Fix(mode: .twoDimensional)
    fix.coordinate = Coordinate(latitudeDegrees: 54.075, longitudeDegrees: 10.8)
    fix.time = UTCTime(secondsSince1970: 1_248_432_300)
    fix.receivedAt = receivedAt
    return FixText.lines(fix, now: now).split(separator: "\n").map(String.init)
      .first { $0.hasPrefix("time") }
  }

  @Test("the time of a fix is followed by its age")
  func aged() {
    let received = MonotonicTime(nanoseconds: 48_500_000_000)
    #expect(Self.time(received) == "time      2009-07-24 10:45:00Z, 1.5 s ago")
  }

  @Test("a fix with reduced accuracy has a time in steps of 15 minutes and no age")
  func reduced() {
    #expect(Self.time(nil) == "time      2009-07-24 10:45:00Z or up to 15 min later")
  }
}
