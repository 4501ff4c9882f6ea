// SPDX-License-Identifier: Apache-2.0

import Dispatch
import FixcastTesting
import Positioning
import SystemSupport
import Testing

@testable import Receivers

/// Cancellation of a source during calls that cannot be interrupted.
@Suite(.timeLimit(.minutes(5))) struct GPSDCancellationTests {
  /// Records an event when its last reference is released.
  private final class Sentinel: Sendable {
    let released: EventRecorder<Void>
    init(_ released: EventRecorder<Void>) { self.released = released }
    deinit { released.record(()) }
  }

  @Test func `a gpsd source cancelled while connecting closes its socket and ends without events`() async throws {
    let listener = try FullListener()
    defer { listener.close() }
    let waiting = listener.waitingCount
    let address = try #require(GPSDAddress(host: "127.0.0.1", port: listener.port))
    let released = EventRecorder<Void>()
    let events = EventRecorder<FixSourceEvent>()
    // Longer than the test, so that the timeout does not end the attempt.
    var options = GPSDSession.Options()
    options.connectNanoseconds = 3_600_000_000_000
    let source = GPSDSource(address: address, options: options)
    let running = Self.run(source, Sentinel(released), events)
    // There is no notification of a waiting connect(2), so poll for it.
    while listener.waitingCount == waiting, !Task.isCancelled { await Task.yield() }
    #expect(listener.waitingCount == waiting + 1)

    running.cancel()
    try await running.value
    await released.wait(for: 1)
    #expect(listener.waitingCount == waiting)
    #expect(events.events.isEmpty)
  }

  @Test func `a task cancelled in an uninterruptible call ends at once, and its thread after the call`() async throws {
    let run = BlockingRun<GPSDError>(wake: try WakeUp())
    let blocked = EventRecorder<Void>()
    let ended = EventRecorder<Bool>()
    let release = DispatchSemaphore(value: 0)
    let running = Task {
      await withTaskCancellationHandler {
        await withCheckedContinuation { continuation in
          run.begin(continuation)
          DispatchQueue(label: "blocked").async {
            let value = run.block {
              blocked.record(())
              release.wait()
              return 1
            }
            ended.record(value == nil)
            run.end(.success(()))
          }
        }
      } onCancel: {
        run.cancel()
      }
    }
    await blocked.wait(for: 1)
    running.cancel()
    try await running.value.get()
    #expect(ended.events.isEmpty)
    release.signal()
    #expect(await ended.wait(for: 1) == [true])
  }

  private static func run(
    _ source: GPSDSource, _ sentinel: Sentinel, _ events: EventRecorder<FixSourceEvent>
  ) -> Task<Void, any Error> {
    Task {
      try await source.run { event in
        events.record(event)
        withExtendedLifetime(sentinel) {}
      }
    }
  }
}
