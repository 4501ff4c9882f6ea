// SPDX-License-Identifier: Apache-2.0

import Daemon
import FixcastTesting
import Testing

@Suite("What is waited for", .timeLimit(.minutes(5)))
struct WaitNoticeTests {
  @Test("is said once it takes longer than a moment, and not again")
  func said() async {
    let clock = ManualClock()
    let said = EventRecorder<Bool>()
    let notice = WaitNotice { said.record(true) }
    let value = await notice.during(on: clock) {
      await clock.waitForSleepers()
      clock.advance(by: .seconds(2))
      await said.wait(for: 1)
      clock.advance(by: .seconds(60))
      return 7
    }
    #expect(value == 7 && said.events == [true])
  }

  @Test("is not said where it is there before")
  func quick() async {
    let clock = ManualClock()
    let said = EventRecorder<Bool>()
    let notice = WaitNotice { said.record(true) }
    await notice.during(on: clock) {
      await clock.waitForSleepers()
      clock.advance(by: .seconds(1))
    }
    clock.advance(by: .seconds(60))
    #expect(said.events.isEmpty && clock.sleeperCount == 0)
  }
}
