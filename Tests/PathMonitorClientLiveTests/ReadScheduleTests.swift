// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import PathMonitorClientLive

@Suite("Read schedule")
struct ReadScheduleTests {
  @Test func `a read of the network is due after a quiet period without changes`() {
    var schedule = ReadSchedule(quietNanoseconds: 50, limitNanoseconds: 1000)
    schedule.changed(at: 100)
    schedule.changed(at: 120)
    #expect(schedule.deadline == 170)
    let due = [0, 169, 170, 171].map { schedule.takeDue(at: $0) }
    #expect(due == [false, false, true, false])
  }

  @Test func `while changes continue, a read of the network is due at the limit after the first change`() {
    var schedule = ReadSchedule(quietNanoseconds: 50, limitNanoseconds: 1000)
    var reads = 0
    for now in stride(from: 0 as UInt64, through: 3000, by: 10) {
      if schedule.takeDue(at: now) { reads += 1 }
      schedule.changed(at: now)
    }
    #expect(reads == 2 || reads == 3)
  }
}
