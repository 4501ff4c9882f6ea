// SPDX-License-Identifier: Apache-2.0

import Dispatch
import FixcastTesting
import Testing

@testable import SystemSupport

@Suite("Serial work queue", .timeLimit(.minutes(5)))
struct SerialWorkQueueTests {
  @Test func `a serial work queue runs its jobs in order, even after an idle time`() async {
    let jobs = SerialWorkQueue()
    let done = EventRecorder<Int>()
    for number in 0..<100 { jobs.add { done.record(number) } }
    #expect(await done.wait(for: 100) == Array(0..<100))
    jobs.add { done.record(100) }
    #expect(await done.wait(for: 101).last == 100)
  }

  @Test func `a serial work queue refuses jobs with a limit when too many jobs are waiting`() async {
    let jobs = SerialWorkQueue()
    let done = EventRecorder<Int>()
    let gate = DispatchSemaphore(value: 0)
    let entered = EventRecorder<Bool>()
    jobs.add {
      entered.record(true)
      gate.wait()
    }
    _ = await entered.wait(for: 1)
    let accepted = (0..<5).map { number in jobs.add(atMost: 3) { done.record(number) } }
    #expect(accepted == [true, true, true, false, false])
    #expect(jobs.add { done.record(5) })
    gate.signal()
    #expect(await done.wait(for: 4) == [0, 1, 2, 5])
  }
}
