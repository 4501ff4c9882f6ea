// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Positioning
import Testing

@testable import LocationServices

@Suite("Filters")
struct FilterTests {
  @Test func `the distance filter suppresses nearby locations, unless they are more precise`() {
    var filter = DistanceFilter(meters: 100)
    let track: [(Double, Double?, Bool)] = [
      (0, 20, true), (50, 20, false), (50, 30, false), (60, 10, true), (60, nil, false),
      (159, 10, false), (161, 10, true), (161, 9.9, true),
    ]
    for (meters, accuracy, passes) in track {
      #expect(filter.passes(.north(meters, accuracyMeters: accuracy)) == passes, "\(meters)")
    }
    filter.reset()
    #expect(filter.passes(.north(161)) == true)
    var disabled = DistanceFilter()
    #expect(disabled.passes(.here) && disabled.passes(.here))
  }

  @Test func `the heading filter suppresses small turns, including turns through north`() {
    var filter = HeadingFilter(degrees: 5)
    let turns: [(Double, Bool)] = [(358, true), (2, false), (3, true), (359, false), (358, true)]
    for (degrees, passes) in turns {
      #expect(filter.passes(Heading(degreesTrue: degrees)) == passes, "\(degrees)")
    }
    // True and magnetic headings cannot be compared.
    #expect(filter.passes(Heading(degreesTrue: nil, degreesMagnetic: 358)) == true)
    var disabled = HeadingFilter(degrees: nil)
    #expect(disabled.passes(Heading(degreesTrue: 1)) && disabled.passes(Heading(degreesTrue: 1)))
  }

  @Test func `significant changes require 500 m and five minutes`() {
    var filter = SignificantChange()
    let track: [(Double, Int64, Bool)] = [
      (0, 0, true), (600, 299, false), (499, 301, false), (501, 301, true), (1100, 500, false),
      (1100, 601, true),
    ]
    for (meters, seconds, passes) in track {
      let now = MonotonicTime.at(seconds)
      #expect(filter.passes(.north(meters), at: now) == passes, "\(meters) at \(seconds)")
    }
  }

  @Test func `the reception tracker reports each outage once`() {
    var reception = ReceptionTracker()
    let authorization = AuthorizationState(.always)
    let reported = (0..<3).map { number in
      if number == 2 { reception.endOutage() }
      return reception.lose(.noFix, authorization, isUpdating: true, at: .at(0)) != []
    }
    #expect(reported == [true, false, true])
  }

  @Test func `the track clock follows location times, or arrival times for implausible location times`() {
    var clock = TrackClock()
    func step(_ seconds: Int64?, _ arrival: Int64) -> Int64 {
      let time = seconds.map { UTCTime(secondsSince1970: $0) }
      let now = clock.advance(to: time, arrival: .at(arrival))
      return now.nanoseconds / 1_000_000_000
    }
    // A recording at full speed, a step back, a missing time, and a correction by twenty years.
    #expect(step(1000, 0) == 0)
    #expect(step(1600, 0) == 600)
    #expect(step(900, 1) == 601)
    #expect(step(nil, 3) == 603)
    #expect(step(600_000_000, 4) == 604)
    #expect(step(600_000_005, 4) == 609)
  }

  @Test func `the stationary detector reports once that the board rests, and movement resets it`() {
    var detector = StationaryDetector()
    func take(_ meters: Double, _ seconds: Int64) -> Bool {
      detector.take(Location.north(meters).coordinate, at: .at(seconds))
    }
    #expect(!take(0, 0) && !take(40, 899) && take(10, 900) && !take(10, 901))
    #expect(detector.isStationary)
    #expect(!take(60, 902) && !detector.isStationary)
  }
}
