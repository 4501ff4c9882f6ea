// SPDX-License-Identifier: Apache-2.0

import Dispatch
import FixcastTesting
import Positioning
import SystemSupport
import Testing

@testable import Receivers

/// The end of a source that sits in a call which nothing can wake.
@Suite(.timeLimit(.minutes(5))) struct GPSDCancellationTests {
  /// Tells when the last to hold it is gone.
  private final class Sentinel: Sendable {
    let gone: EventRecorder<Void>
    init(_ gone: EventRecorder<Void>) { self.gone = gone }
    deinit { gone.record(()) }
  }

  @Test("ends at once while connecting, without a word, and lets go of the connection")
  func connecting() async throws {
    let listener = try FullListener()
    defer { listener.close() }
    let waiting = listener.waitingCount
    let address = try #require(GPSDAddress(host: "127.0.0.1", port: listener.port))
    let gone = EventRecorder<Void>()
    let heard = EventRecorder<FixSourceEvent>()
    // It would not give up by itself while the test lasts.
    var options = GPSDSession.Options()
    options.connectNanoseconds = 3_600_000_000_000
    let source = GPSDSource(address: address, options: options)
    let running = Self.run(source, Sentinel(gone), heard)
    // The kernel tells nobody when a connect(2) begins to wait.
    while listener.waitingCount == waiting, !Task.isCancelled { await Task.yield() }
    #expect(listener.waitingCount == waiting + 1)

    running.cancel()
    try await running.value
    await gone.wait(for: 1)
    #expect(listener.waitingCount == waiting)
    #expect(heard.events.isEmpty)
  }

  @Test("ends at once in a call that nothing can wake, and its thread when the call does")
  func blocked() async throws {
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
    _ source: GPSDSource, _ sentinel: Sentinel, _ heard: EventRecorder<FixSourceEvent>
  ) -> Task<Void, any Error> {
    Task {
      try await source.run { event in
        heard.record(event)
        withExtendedLifetime(sentinel) {}
      }
    }
  }
}
