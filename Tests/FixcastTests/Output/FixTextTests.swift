// SPDX-License-Identifier: Apache-2.0

import Positioning
import Testing

@testable import fixcast

/// A fix as `fixcast locate` tells it to people.
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

  @Test("its age stands beside its time")
  func aged() {
    let received = MonotonicTime(nanoseconds: 48_500_000_000)
    #expect(Self.time(received) == "time      2009-07-24 10:45:00Z, 1.5 s ago")
  }

  @Test("one of reduced accuracy has no age, and a time that is a quarter of an hour")
  func reduced() {
    #expect(Self.time(nil) == "time      2009-07-24 10:45:00Z or up to 15 min later")
  }
}
