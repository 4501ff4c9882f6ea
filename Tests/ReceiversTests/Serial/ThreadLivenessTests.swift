// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Testing

@testable import Receivers

/// Whether threads that read show that they do not hang.
@Suite("Pulse of a thread", .timeLimit(.minutes(5)))
struct ThreadPulseTests {
  @Test("one that waits answers at once, again and again")
  func waiting() async {
    let liveness = ThreadLiveness()
    liveness.beginWaiting()
    await liveness.ping()
    await liveness.ping()
  }

  @Test("one that works answers all that asked when it waits again")
  func working() async {
    let (liveness, answered) = (ThreadLiveness(), EventRecorder<String>())
    liveness.beginWaiting()
    liveness.beginWorking()
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<3 {
        group.addTask {
          await liveness.ping()
          answered.record("answer")
        }
      }
      answered.record("waits")
      liveness.beginWaiting()
      await group.waitForAll()
    }
    #expect(answered.events.count == 4)
  }

  @Test("one that hangs is not waited for by a task that is cancelled")
  func cancelled() async {
    let liveness = ThreadLiveness()
    let asking = Task { await liveness.ping() }
    asking.cancel()
    await asking.value
  }

  @Test("all threads are asked, and one that has ended is not")
  func threads() async throws {
    let (began, goesOn) = (EventRecorder<Bool>(), EventRecorder<Bool>())
    try SourceThread.start { liveness in
      liveness.beginWaiting()
      began.record(true)
      liveness.beginWorking()
      goesOn.record(true)
    }
    await began.wait(for: 1)
    await goesOn.wait(for: 1)
    await SourceThreads.ping()
  }
}
