// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Streams
import Synchronization
import Testing

/// Tests the conformance suite with streams that follow all rules and streams that break a rule.
@Suite("Stream conformance", .timeLimit(.minutes(5)))
struct StreamConformanceTests {
  private func breaches(
    of subscribe: @escaping @Sendable () -> AsyncStream<Int>,
    sending send: @escaping @Sendable (Int) -> Void,
    waitForRunning: (@Sendable (Bool) async -> Void)? = nil,
    patience: Duration = .seconds(20), clock: any Clock<Duration> = ContinuousClock()
  ) async -> Set<StreamRule> {
    let numbers = Mutex(0)
    let suite = StreamConformance(
      beginning: .newest(isAvailableAtOnce: false), waitForRunning: waitForRunning,
      patience: patience,
      clock: clock,
      provoke: {
        let number = numbers.withLock {
          $0 += 1
          return $0
        }
        send(number)
        return { $0 == number }
      }, subscribe: subscribe)
    return Set(await suite.breaches().map(\.rule))
  }

  /// The time after which an element that has not arrived is reported as missing.
  private static let brief: Duration = .milliseconds(200)

  /// Returns a closure that waits until the broadcast has listeners (`true`) or none (`false`).
  private static func waitForRunning(
    _ counts: EventRecorder<Int>
  ) -> @Sendable (Bool) async -> Void {
    { isExpected in await counts.wait { ($0.last ?? 0 > 0) == isExpected } }
  }

  /// Returns a broadcast that discards its newest element when the last listener leaves.
  private func forgetful(_ counts: EventRecorder<Int> = EventRecorder()) -> Broadcast<Int> {
    let sender = Mutex<Broadcast<Int>?>(nil)
    let broadcast = Broadcast<Int>(replaysNewest: true) { count in
      if count == 0 { sender.withLock { $0 }?.forgetNewest() }
      counts.record(count)
    }
    sender.withLock { $0 = broadcast }
    return broadcast
  }

  @Test func `the suite detects a stream that replays an element sent before all listeners left`()
    async
  {
    let counts = EventRecorder<Int>()
    let broadcast = Broadcast<Int>(replaysNewest: true) { counts.record($0) }
    let brokenRules = await breaches(
      of: { broadcast.subscribe() }, sending: { broadcast.send($0) },
      waitForRunning: Self.waitForRunning(counts))
    #expect(brokenRules == [.dropsStaleValue])
  }

  @Test func `the suite detects a stream that sends a new listener an outdated current value`()
    async
  {
    let numbers = Mutex(0)
    for readsValue in [true, false] {
      numbers.withLock { $0 = 0 }
      let broadcast = forgetful()
      let nextNumber: @Sendable () -> Int = {
        numbers.withLock {
          $0 += 1
          return $0
        }
      }
      let suite = StreamConformance(
        beginning: .newest(isAvailableAtOnce: true),
        provokeUnobserved: {
          let number = nextNumber()
          return { $0 == number }
        },
        provoke: {
          let number = nextNumber()
          broadcast.send(number)
          return { $0 == number }
        },
        subscribe: {
          let value = readsValue ? numbers.withLock { $0 } : 0
          return broadcast.subscribe(startingWith: broadcast.newest == nil ? value : nil)
        })
      #expect(Set(await suite.breaches().map(\.rule)) == (readsValue ? [] : [.dropsStaleValue]))
    }
  }

  @Test func `the suite reports no breach for a stream that follows all rules`() async {
    let counts = EventRecorder<Int>()
    let broadcast = forgetful(counts)
    let brokenRules = await breaches(
      of: { broadcast.subscribe() }, sending: { broadcast.send($0) },
      waitForRunning: Self.waitForRunning(counts))
    #expect(brokenRules.isEmpty)
  }

  @Test func `the suite detects a stream that delivers each element to one listener only`() async {
    let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
    #expect(
      await breaches(of: { stream }, sending: { continuation.yield($0) }, patience: Self.brief)
        .contains(.deliversToAll))
  }

  @Test func `the suite detects a stream that delivers elements twice`() async {
    let broadcast = forgetful()
    let brokenRules = await breaches(
      of: { broadcast.subscribe() },
      sending: { number in
        broadcast.send(number)
        broadcast.send(number)
      })
    #expect(brokenRules == [.deliversOnce])
  }

  @Test func `the suite detects a stream that ends for all listeners when one of them leaves`()
    async
  {
    let listeners = Mutex(0)
    let sender = Mutex<Broadcast<Int>?>(nil)
    let broadcast = Broadcast<Int>(replaysNewest: true) { count in
      let isFewer = listeners.withLock { last in
        defer { last = count }
        return count < last
      }
      if isFewer { sender.withLock { $0 }?.finish() }
    }
    sender.withLock { $0 = broadcast }
    let brokenRules = await breaches(
      of: { broadcast.subscribe() }, sending: { broadcast.send($0) }, patience: Self.brief)
    #expect(brokenRules.isSuperset(of: [.cancelKeepsOthers, .deliversAgain]))
  }

  @Test func `the suite detects a stream that does not send the newest element to a late listener`()
    async
  {
    let broadcast = Broadcast<Int>()
    #expect(
      await breaches(
        of: { broadcast.subscribe() }, sending: { broadcast.send($0) }, patience: Self.brief
      ).contains(.beginsWithCurrent))
    let old = Broadcast<Int>()
    #expect(
      await breaches(
        of: { old.subscribe(startingWith: 0) }, sending: { old.send($0) }, patience: Self.brief
      ).contains(.beginsWithCurrent))
  }

  @Test func `the suite detects a stream that does not end when the listener's task ends`() async {
    let all = EventRecorder<Int>()
    let brokenRules = await breaches(
      of: {
        let count = Mutex(0)
        return AsyncStream {
          let next = count.withLock {
            $0 += 1
            return $0
          }
          // An unstructured task is not cancelled with the listener.
          return await Task { await all.wait(for: next)[next - 1] }.value
        }
      }, sending: { all.record($0) }, patience: Self.brief)
    for _ in 1...8 { all.record(0) }
    #expect(brokenRules.contains(.endsWithItsTask))
  }

  @Test func `the suite detects a stream whose source never starts, or never stops`()
    async
  {
    for isRunning in [true, false] {
      let broadcast = forgetful()
      let (clock, patience) = (ManualClock(), Duration.seconds(20))
      let brokenRules = await breaches(
        of: { broadcast.subscribe() }, sending: { broadcast.send($0) },
        waitForRunning: { isExpected in
          if isExpected == isRunning { return }
          // The state never occurs, so advance the clock past the patience at once.
          await clock.waitForSleepers(1)
          clock.advance(by: patience)
          for await _ in AsyncStream<Never>.makeStream().stream {}
        }, patience: patience, clock: clock)
      #expect(brokenRules == [.runsWhileSubscribed])
    }
  }
}
