// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Positioning
import Testing

@testable import WeatherFeature

@Suite("Lookup policy")
struct LookupPolicyTests {
  @Test(
    arguments: [
      (nil, 60), (0, 60), (-5, 60), (.nan, 60), (30, 60), (3600, 3600), (1e300, 86_400),
      (.infinity, 86_400),
    ] as [(Double?, Int64)])
  func `no lookup is due during a pause that a provider requested, which is limited to a day`(
    requested: Double?, wait: Int64
  ) {
    var policy = LookupPolicy(minimumIntervalSeconds: 60)
    let first = policy.startIfDue(at: .at(1, 0), now: .at(0))
    policy.pause(forSeconds: requested, now: .at(0))
    let due = [
      policy.startIfDue(at: .at(1, 0), now: .at(wait - 1)),
      policy.startIfDue(at: .at(2, 0), now: .at(wait)),
    ]
    #expect(first && due == [false, true])
  }

  @Test func `a lookup is due without an answer, after a move of 5 km, and after the expiry of the answer`() {
    var policy = LookupPolicy(maximumAgeSeconds: 600, distanceMeters: 5000, minimumIntervalSeconds: 60)
    let home = Coordinate.at(51.5, 0)
    let near = Coordinate.at(51.52, 0)
    let far = Coordinate.at(51.6, 0)
    // The first lookup gets no answer; the second lookup gets an answer.
    var due = [
      policy.startIfDue(at: home, now: .at(0)), policy.startIfDue(at: home, now: .at(59)),
    ]
    due.append(policy.startIfDue(at: home, now: .at(60)))
    #expect(due == [true, false, true])
    policy.recordAnswer(for: home, now: .at(61))
    due = [
      policy.startIfDue(at: far, now: .at(119)), policy.startIfDue(at: near, now: .at(200)),
      policy.startIfDue(at: far, now: .at(201)),
    ]
    #expect(due == [false, false, true])
    policy.recordAnswer(for: far, now: .at(202))
    due = [
      policy.startIfDue(at: far, now: .at(801)), policy.startIfDue(at: far, now: .at(802)),
    ]
    #expect(due == [false, true])
  }

  @Test func `makeDue makes a lookup due immediately, except during a requested pause`() {
    let home = Coordinate.at(51.5, 0)
    var policy = LookupPolicy(minimumIntervalSeconds: 60)
    var due = [policy.startIfDue(at: home, now: .at(0))]
    policy.recordAnswer(for: home, now: .at(1))
    due.append(policy.startIfDue(at: home, now: .at(61)))
    policy.makeDue()
    due.append(policy.startIfDue(at: home, now: .at(62)))
    due.append(policy.startIfDue(at: home, now: .at(63)))
    #expect(due == [true, false, true, false])
    policy.pause(forSeconds: 100, now: .at(64))
    policy.makeDue()
    due = [
      policy.startIfDue(at: home, now: .at(163)),
      policy.startIfDue(at: home, now: .at(164)),
    ]
    #expect(due == [false, true])
  }

  @Test func `the next lookup is due when interval, pause and lifetime of the answer have ended`() {
    let home = Coordinate.at(51.5, 0)
    let far = Coordinate.at(51.6, 0)
    var policy = LookupPolicy(maximumAgeSeconds: 600, distanceMeters: 5000, minimumIntervalSeconds: 60)
    #expect(policy.nextDue(at: home, now: .at(7)) == .at(7))
    let isDue = policy.startIfDue(at: home, now: .at(7))
    #expect(isDue && policy.nextDue(at: home, now: .at(8)) == .at(67))
    policy.recordAnswer(for: home, now: .at(10))
    #expect(policy.nextDue(at: home, now: .at(11)) == .at(610))
    #expect(policy.nextDue(at: far, now: .at(11)) == .at(67))
    #expect(policy.nextDue(at: far, now: .at(70)) == .at(70))
    policy.pause(forSeconds: 1000, now: .at(12))
    #expect(policy.nextDue(at: far, now: .at(70)) == .at(1012))
  }

  @Test(arguments: [0, 0.1, 0.3, 1e-9, 59.999_999_999, 1e300, .infinity, .nan, -1] as [Double])
  func `a lookup becomes due exactly at the time that nextDue returns`(interval: Double) {
    var policy = LookupPolicy(minimumIntervalSeconds: interval)
    let first = policy.startIfDue(at: .at(1, 0), now: .at(1))
    let next = policy.nextDue(at: .at(1, 0), now: .at(1))
    var earlierPolicy = policy
    let isSooner =
      next > MonotonicTime.at(1)
      && earlierPolicy.startIfDue(at: .at(1, 0), now: next.advanced(byNanoseconds: -1))
    let isDue = policy.startIfDue(at: .at(1, 0), now: next)
    #expect(first && !isSooner && isDue)
  }

  @Test func `after invalidateAnswer the next lookup is due after the minimum interval`() {
    let home = Coordinate.at(51.5, 0)
    var policy = LookupPolicy(minimumIntervalSeconds: 60)
    let first = policy.startIfDue(at: home, now: .at(0))
    policy.recordAnswer(for: home, now: .at(1))
    policy.invalidateAnswer()
    #expect(first && policy.nextDue(at: home, now: .at(2)) == .at(60))
  }

  @Test func `a change ends a pause without a request, at most once in the minimum interval`() {
    let home = Coordinate.at(51.5, 0)
    var policy = LookupPolicy(minimumIntervalSeconds: 60)
    var due = [policy.startIfDue(at: home, now: .at(0))]
    policy.pauseWithoutRequest(forSeconds: 3600, changeCount: 4, now: .at(1))
    policy.endPause(ifChangedTo: 4, now: .at(2))
    due.append(policy.startIfDue(at: home, now: .at(2)))
    policy.endPause(ifChangedTo: 5, now: .at(3))
    due.append(policy.startIfDue(at: home, now: .at(3)))
    #expect(due == [true, false, true])
    policy.pauseWithoutRequest(forSeconds: 3600, changeCount: 5, now: .at(4))
    policy.endPause(ifChangedTo: 6, now: .at(62))
    due = [policy.startIfDue(at: home, now: .at(62))]
    policy.endPause(ifChangedTo: 6, now: .at(63))
    due.append(policy.startIfDue(at: home, now: .at(63)))
    #expect(due == [false, true])
  }

  @Test func `no change ends a pause that a provider requested`() {
    let home = Coordinate.at(51.5, 0)
    var policy = LookupPolicy(minimumIntervalSeconds: 60)
    policy.pauseWithoutRequest(forSeconds: 30, changeCount: 1, now: .at(0))
    policy.pause(forSeconds: 3600, now: .at(1))
    #expect(!policy.mayEndPause(now: .at(2)))
    policy.endPause(ifChangedTo: 2, now: .at(2))
    let isDue = policy.startIfDue(at: home, now: .at(3600))
    #expect(!isDue)
  }
}
