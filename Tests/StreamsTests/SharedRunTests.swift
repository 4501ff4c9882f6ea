// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Streams
import Synchronization
import Testing

@Suite("Shared runs", .timeLimit(.minutes(5)))
struct SharedRunTests {
  @Test func `an operation runs once for all listeners and restarts for a later listener`() async {
    let (starts, ends) = (EventRecorder<Void>(), EventRecorder<Void>())
    let run = SharedRun(startingWith: 0) { send in
      starts.record(())
      send(starts.events.count)
      await Task.untilCancelled()
      ends.record(())
    }
    for count in 1...2 {
      #expect(!run.isRunning)
      let stream = run.subscribe()
      var first = stream.makeAsyncIterator()
      #expect(await first.next() == 0)
      #expect(await first.next() == count)
      #expect(run.isRunning)
      var late = run.subscribe().makeAsyncIterator()
      #expect(await late.next() == count)
      #expect(starts.events.count == count)
      let leaving = Task { for await _ in stream {} }
      late = AsyncStream { $0.finish() }.makeAsyncIterator()
      leaving.cancel()
      await leaving.value
      await ends.wait(for: count)
      #expect(!run.isRunning)
    }
  }

  @Test func `a new listener does not receive elements that a cancelled run sends`() async {
    let latestSend = Mutex<(@Sendable (Int) -> Void)?>(nil)
    let (starts, ends) = (EventRecorder<Void>(), EventRecorder<Void>())
    let run = SharedRun<Int> { send in
      latestSend.withLock { $0 = send }
      starts.record(())
      await Task.untilCancelled()
      ends.record(())
    }
    do {
      let listener = Task { [stream = run.subscribe()] in for await _ in stream {} }
      await starts.wait(for: 1)
      listener.cancel()
      await listener.value
    }
    await ends.wait(for: 1)
    #expect(!run.isRunning)
    let staleSend = latestSend.withLock { $0 }
    var again = run.subscribe().makeAsyncIterator()
    await starts.wait(for: 2)
    staleSend?(1)
    latestSend.withLock { $0 }?(2)
    #expect(await again.next() == 2)
  }

  @Test func `a stream keeps its shared run alive`() async {
    weak var kept: SharedRun<Int>?
    let released = EventRecorder<Void>()
    do {
      let stream: AsyncStream<Int>
      do {
        let held = Held { released.record(()) }
        let run = SharedRun(startingWith: 7) { _ in
          await Task.untilCancelled()
          withExtendedLifetime(held) {}
        }
        kept = run
        stream = run.subscribe()
      }
      var elements = stream.makeAsyncIterator()
      #expect(await elements.next() == 7)
      #expect(kept != nil)
    }
    // The operation is released once its task has ended.
    await released.wait(for: 1)
    #expect(kept == nil)
  }
}
