// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Streams
import Synchronization
import Testing

/// The suite for streams, held against streams that keep all its rules and that break each.
@Suite("Stream conformance", .timeLimit(.minutes(5)))
struct StreamConformanceTests {
  private func breaches(
    of subscribe: @escaping @Sendable () -> AsyncStream<Int>,
    told send: @escaping @Sendable (Int) -> Void,
    comesToRun: (@Sendable (Bool) async -> Void)? = nil,
    patience: Duration = .seconds(20), clock: any Clock<Duration> = ContinuousClock()
  ) async -> Set<StreamRule> {
    let numbers = Mutex(0)
    let suite = StreamConformance(
      beginning: .newest(isFoundAtOnce: false), comesToRun: comesToRun, patience: patience,
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

  /// As long as it takes to see that something is missing; what comes late is missing as well.
  private static let brief: Duration = .milliseconds(200)

  /// Returns when somebody listens, or nobody does, by what a broadcast told last.
  private static func comesToRun(
    _ counts: EventRecorder<Int>
  ) -> @Sendable (Bool) async -> Void {
    { isExpected in await counts.wait { ($0.last ?? 0 > 0) == isExpected } }
  }

  /// A broadcast that forgets the newest when nobody listens any more.
  private func forgetful(_ counts: EventRecorder<Int> = EventRecorder()) -> Broadcast<Int> {
    let sender = Mutex<Broadcast<Int>?>(nil)
    let broadcast = Broadcast<Int>(replaysNewest: true) { count in
      if count == 0 { sender.withLock { $0 }?.forgetNewest() }
      counts.record(count)
    }
    sender.withLock { $0 = broadcast }
    return broadcast
  }

  @Test func `finds one that gives who comes after a pause what was before it`() async {
    let counts = EventRecorder<Int>()
    let broadcast = Broadcast<Int>(replaysNewest: true) { counts.record($0) }
    let found = await breaches(
      of: { broadcast.subscribe() }, told: { broadcast.send($0) },
      comesToRun: Self.comesToRun(counts))
    #expect(found == [.forgetsOverPause])
  }

  @Test func `finds one that does not look again after a pause`() async {
    let numbers = Mutex(0)
    for looks in [true, false] {
      numbers.withLock { $0 = 0 }
      let broadcast = forgetful()
      let happen: @Sendable () -> Int = {
        numbers.withLock {
          $0 += 1
          return $0
        }
      }
      let suite = StreamConformance(
        beginning: .newest(isFoundAtOnce: true),
        provokeUnheard: {
          let number = happen()
          return { $0 == number }
        },
        provoke: {
          let number = happen()
          broadcast.send(number)
          return { $0 == number }
        },
        subscribe: {
          let found = looks ? numbers.withLock { $0 } : 0
          return broadcast.subscribe(startingWith: broadcast.newest == nil ? found : nil)
        })
      #expect(Set(await suite.breaches().map(\.rule)) == (looks ? [] : [.forgetsOverPause]))
    }
  }

  @Test func `finds nothing in a stream that keeps all rules`() async {
    let counts = EventRecorder<Int>()
    let broadcast = forgetful(counts)
    let found = await breaches(
      of: { broadcast.subscribe() }, told: { broadcast.send($0) },
      comesToRun: Self.comesToRun(counts))
    #expect(found.isEmpty)
  }

  @Test func `finds a stream that gives each element to one listener alone`() async {
    let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
    #expect(
      await breaches(of: { stream }, told: { continuation.yield($0) }, patience: Self.brief)
        .contains(.tellsEverybody))
  }

  @Test func `finds one that tells everything twice`() async {
    let broadcast = forgetful()
    let found = await breaches(
      of: { broadcast.subscribe() },
      told: { number in
        broadcast.send(number)
        broadcast.send(number)
      })
    #expect(found == [.tellsOnce])
  }

  @Test func `finds one that ends for all when one leaves`() async {
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
    let found = await breaches(
      of: { broadcast.subscribe() }, told: { broadcast.send($0) }, patience: Self.brief)
    #expect(found.isSuperset(of: [.leavingSilencesNobody, .tellsWhoComesAgain]))
  }

  @Test func `finds one that gives who comes late nothing, or what is old`() async {
    let broadcast = Broadcast<Int>()
    #expect(
      await breaches(
        of: { broadcast.subscribe() }, told: { broadcast.send($0) }, patience: Self.brief
      ).contains(.beginsWithPresent))
    let old = Broadcast<Int>()
    #expect(
      await breaches(
        of: { old.subscribe(startingWith: 0) }, told: { old.send($0) }, patience: Self.brief
      ).contains(.beginsWithPresent))
  }

  @Test func `finds one that does not end with the task`() async {
    let all = EventRecorder<Int>()
    let found = await breaches(
      of: {
        let count = Mutex(0)
        return AsyncStream {
          let next = count.withLock {
            $0 += 1
            return $0
          }
          // A task of its own hears nothing of a cancelled listener.
          return await Task { await all.wait(for: next)[next - 1] }.value
        }
      }, told: { all.record($0) }, patience: Self.brief)
    for _ in 1...8 { all.record(0) }
    #expect(found.contains(.endsWithItsTask))
  }

  @Test func `finds one that runs on, and one that never did`() async {
    for isRunning in [true, false] {
      let broadcast = forgetful()
      let (clock, patience) = (ManualClock(), Duration.seconds(20))
      let found = await breaches(
        of: { broadcast.subscribe() }, told: { broadcast.send($0) },
        comesToRun: { isExpected in
          if isExpected == isRunning { return }
          // It never will; the time to wait for it passes as soon as it is waited for.
          await clock.waitForSleepers(1)
          clock.advance(by: patience)
          for await _ in AsyncStream<Never>.makeStream().stream {}
        }, patience: patience, clock: clock)
      #expect(found == [.runsWhileListenedTo])
    }
  }
}
