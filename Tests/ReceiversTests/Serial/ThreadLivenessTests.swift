// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Testing

@testable import Receivers

/// Checks of reading threads for hangs.
@Suite("Liveness of threads", .timeLimit(.minutes(5)))
struct ThreadLivenessTests {
  @Test func `a ping of a waiting thread returns at once`() async {
    let liveness = ThreadLiveness()
    liveness.beginWaiting()
    await liveness.ping()
    await liveness.ping()
  }

  @Test func `pings of a working thread return when the thread waits again`() async {
    let (liveness, events) = (ThreadLiveness(), EventRecorder<String>())
    liveness.beginWaiting()
    liveness.beginWorking()
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<3 {
        group.addTask {
          await liveness.ping()
          events.record("returned")
        }
      }
      events.record("waiting")
      liveness.beginWaiting()
      await group.waitForAll()
    }
    #expect(events.events.count == 4)
  }

  @Test func `a ping of a hanging thread returns when the pinging task is cancelled`() async {
    let liveness = ThreadLiveness()
    let ping = Task { await liveness.ping() }
    ping.cancel()
    await ping.value
  }

  @Test func `a ping of all threads does not wait for a thread that has ended`() async throws {
    let (began, working) = (EventRecorder<Bool>(), EventRecorder<Bool>())
    try SourceThread.start { liveness in
      liveness.beginWaiting()
      began.record(true)
      liveness.beginWorking()
      working.record(true)
    }
    await began.wait(for: 1)
    await working.wait(for: 1)
    await SourceThreads.ping()
  }
}
