// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Positioning
import Testing

@testable import SystemSupport

@Suite("Rate limit") struct RateLimitTests {
  @Test func `the rate limit grants each key a burst, followed by a number of tokens per second`() {
    var limit = RateLimit<Int>(burst: 3, perSecond: 0.5)
    func taken(_ key: Int, _ count: Int, at seconds: Double) -> Int {
      (0..<count).count { _ in limit.take(from: key, at: .at(seconds)) }
    }
    #expect(taken(1, 5, at: 10) == 3)
    #expect(taken(2, 5, at: 10) == 3)
    #expect(taken(1, 5, at: 11.9) == 0)
    #expect(taken(1, 5, at: 12.1) == 1)
    #expect(taken(1, 5, at: 1000) == 3)
    // A clock that stops or steps back adds no tokens.
    #expect(taken(1, 5, at: 999) == 0)
  }

  @Test func `a bucket that is charged more tokens than it has grants none until it has earned them`() {
    var limit = RateLimit<Int>(burst: 3, perSecond: 1)
    limit.charge(10, to: 1, at: .at(0))
    #expect(!limit.hasToken(for: 1, at: .at(7.9)))
    #expect(limit.hasToken(for: 1, at: .at(8)))
    #expect(limit.hasToken(for: 2, at: .at(0)))
  }

  @Test func `the rate limit removes only keys with a full bucket`() {
    var limit = RateLimit<Int>(burst: 1, perSecond: 1)
    let taken = (0..<10_000).count { limit.take(from: $0, at: .at(Double($0))) }
    #expect(taken == 10_000)
    let isTakenAgain = limit.take(from: 9999, at: .at(9999))
    #expect(!isTakenAgain)
    #expect(limit.keyCount <= 300)
  }
}
