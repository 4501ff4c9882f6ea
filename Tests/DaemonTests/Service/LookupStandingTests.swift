// SPDX-License-Identifier: Apache-2.0

import Positioning
import Testing
import WeatherClient
import WeatherFeature

@testable import Daemon

@Suite("How the present lookups stand")
struct LookupStandingTests {
  private static let now = MonotonicTime(nanoseconds: 1)
  private static let failure = LookupFailureEvent(
    .of(provider: "nws", host: "h", .network("refused")), retryAfterSeconds: 60)

  @Test("what the provider before failed with goes when another is asked, and when none is")
  func anew() {
    for next in [2, nil] as [Int64?] {
      var lookups = LookupStanding()
      lookups.begin(1)
      lookups.take(Self.failure, of: 1, at: Self.now)
      lookups.begin(1)
      #expect(lookups.standing.lastError?.hasPrefix("nws (h)") == true)
      lookups.begin(next)
      #expect(lookups.standing == WeatherStanding())
      lookups.take(Self.failure, of: 1, at: Self.now)
      #expect(lookups.standing == WeatherStanding())
    }
  }
}
