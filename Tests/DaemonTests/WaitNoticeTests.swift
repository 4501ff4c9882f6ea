// SPDX-License-Identifier: Apache-2.0

import Daemon
import FixcastTesting
import Testing

@Suite("Wait notice", .timeLimit(.minutes(5)))
struct WaitNoticeTests {
  @Test func `a wait notice is shown once if the operation takes longer than the delay`() async {
    let clock = ManualClock()
    let shown = EventRecorder<Bool>()
    let notice = WaitNotice { shown.record(true) }
    let value = await notice.during(on: clock) {
      await clock.waitForSleepers()
      clock.advance(by: .seconds(2))
      await shown.wait(for: 1)
      clock.advance(by: .seconds(60))
      return 7
    }
    #expect(value == 7 && shown.events == [true])
  }

  @Test func `a wait notice is not shown if the operation ends before the delay`() async {
    let clock = ManualClock()
    let shown = EventRecorder<Bool>()
    let notice = WaitNotice { shown.record(true) }
    await notice.during(on: clock) {
      await clock.waitForSleepers()
      clock.advance(by: .seconds(1))
    }
    clock.advance(by: .seconds(60))
    #expect(shown.events.isEmpty && clock.sleeperCount == 0)
  }
}
