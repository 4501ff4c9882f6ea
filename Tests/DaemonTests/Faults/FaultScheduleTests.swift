// SPDX-License-Identifier: Apache-2.0

import Testing

@Suite("Fault schedule")
struct FaultScheduleTests {
  @Test func `a fault schedule depends on its seed, has pauses, and ends without active faults`() {
    for seed in 1...20 as ClosedRange<UInt64> {
      let faults: [Fault] = [.diskFull, .clockJumped]
      let schedule = FaultSchedule(faults, seconds: 36_000, seed: seed)
      #expect(schedule.spans == FaultSchedule(faults, seconds: 36_000, seed: seed).spans)
      #expect(schedule.spans.count > 10)
      for fault in faults {
        let spans = schedule.spans.filter { $0.fault == fault }
        #expect(zip(spans, spans.dropFirst()).allSatisfy { $0.end + 60 <= $1.start })
        #expect(spans.allSatisfy { $0.start < $0.end && $0.end < 35_400 })
      }
    }
  }

  @Test func `in a fault schedule, two faults overlap at least once, and each clock jump has a size`() {
    let schedule = FaultSchedule([.pathLost, .clockJumped], seconds: 36_000, seed: 3)
    let (lost, jumped) = (
      schedule.spans.filter { $0.fault == .pathLost },
      schedule.spans.filter { $0.fault == .clockJumped }
    )
    #expect(lost.contains { one in jumped.contains { $0.start < one.end && one.start < $0.end } })
    #expect(jumped.allSatisfy { $0.jumpSeconds != 0 } && lost.allSatisfy { $0.jumpSeconds == 0 })
  }

  @Test func `there are nine faults and 36 pairs of faults`() {
    #expect(Fault.allCases.count == 9 && Fault.pairs.count == 36)
  }
}
