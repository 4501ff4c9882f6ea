// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import LocationServices
import PathMonitorClient
import Pipeline
import Positioning
import Synchronization
import Testing
import WeatherFeature

/// Tests the runner with a mock monitor and a manual clock.
@Suite("Reachability gate runner", .timeLimit(.minutes(5)))
struct ReachabilityGateRunnerTests {
  private static let connected = ReachabilityGateTests.connected
  private static let disconnected = ReachabilityGateTests.disconnected

  /// A runner with a manual clock, mock paths and recorded output.
  private final class RunnerFixture: Sendable {
    let clock = RecordingClock()
    let passed = EventRecorder<Location>()
    let reported = EventRecorder<GateEvent>()
    let paths = EventRecorder<NetworkPath>()
    let runner: ReachabilityGateRunner
    private let listeners: EventRecorder<AsyncStream<NetworkPath>.Continuation>

    init(_ timing: ReachabilityGateTiming) {
      let listeners = EventRecorder<AsyncStream<NetworkPath>.Continuation>()
      self.listeners = listeners
      let monitor = PathMonitorClient {
        let (paths, continuation) = AsyncStream.makeStream(of: NetworkPath.self)
        listeners.record(continuation)
        return paths
      }
      runner = ReachabilityGateRunner(monitor: monitor, timing: timing, clock: clock)
    }

    /// Sends a path to the run with this number, and waits until the runner has reported it.
    func send(_ path: NetworkPath, toRun number: Int = 1) async {
      let count = paths.events.count
      await listeners.wait(for: number).last?.yield(path)
      await paths.wait(for: count + 1)
    }

    /// Runs the runner until the input ends.
    func run(_ input: AsyncStream<EnrichedLocation>) async {
      await runner.run(
        input, pass: { [passed] in passed.record($0.location) },
        report: { [reported, paths] event in
          if let event = event as? GateEvent { reported.record(event) }
          if let event = event as? PathEvent { paths.record(event.path) }
        })
    }
  }

  @Test func `the reachability gate runner releases the newest location exactly when the delay ends`() async {
    let fixture = RunnerFixture(.jittered(random: { 0.25 }))
    let (input, locations) = AsyncStream.makeStream(of: EnrichedLocation.self)
    async let run: Void = fixture.run(input)
    await fixture.send(Self.disconnected)
    locations.yield(EnrichedLocation(.at(1)))
    await fixture.reported.wait(for: 1)
    await fixture.send(Self.connected)
    await fixture.clock.base.waitForSleepers(1)
    fixture.clock.base.advance(by: .milliseconds(7499))
    #expect(fixture.clock.base.sleeperCount == 1)
    #expect(fixture.passed.events.isEmpty)
    fixture.clock.base.advance(by: .milliseconds(1))
    #expect(await fixture.passed.wait(for: 1) == [.at(1)])
    #expect(
      fixture.reported.events.map(\.verdict) == [
        .holds(reason: "noDefaultRoute"), .holds(reason: "returnDelay"), .passes,
      ])
    locations.finish()
    await run
  }

  @Test func `in 200 random drives, one location is released per reconnect, within the maximum delay`() async {
    var generator = SeededGenerator(seed: 67)
    for _ in 0..<200 {
      let fraction = Mutex(0.0)
      let fixture = RunnerFixture(.jittered(random: { fraction.withLock { $0 } }))
      let clock = fixture.clock.base
      let (input, locations) = AsyncStream.makeStream(of: EnrichedLocation.self)
      async let run: Void = fixture.run(input)
      var (expected, delays): ([Location], Int) = ([], 0)
      for round in 1...Int.random(in: 1...4, using: &generator) {
        await fixture.send(Self.disconnected)
        expected.append(.at(Double(round)))
        let reports = fixture.reported.events.count
        locations.yield(EnrichedLocation(.at(Double(round))))
        await fixture.reported.wait(for: reports + 1)
        // Each reconnect starts a new delay. Only the last delay is not interrupted.
        for isLast in Array(repeating: false, count: Int.random(in: 0...2, using: &generator))
          + [true]
        {
          let random = Double.random(in: 0...1, using: &generator)
          fraction.withLock { $0 = random }
          await fixture.send(Self.connected)
          delays += 1
          let end = await fixture.clock.deadlines.wait(for: delays).last ?? .zero
          let delay = end - clock.now.offset
          #expect((.zero ... .seconds(30)).contains(delay) && delay == .seconds(30) * random)
          if isLast {
            clock.advance(by: max(delay - .nanoseconds(1), .zero))
            #expect(fixture.passed.events.count == expected.count - 1)
            clock.advance(by: .nanoseconds(1))
            await fixture.passed.wait(for: expected.count)
          } else {
            clock.advance(by: delay * Double.random(in: 0..<0.99, using: &generator))
            await fixture.send(Self.disconnected)
          }
        }
      }
      locations.finish()
      await run
      #expect(fixture.passed.events == expected)
    }
  }

  @Test func `each reconnect of the network starts a new release delay`() async {
    let fixture = RunnerFixture(ReachabilityGateTiming(releaseDelay: { .seconds(10) }))
    let (input, locations) = AsyncStream.makeStream(of: EnrichedLocation.self)
    async let run: Void = fixture.run(input)
    await fixture.send(Self.disconnected)
    locations.yield(EnrichedLocation(.at(1)))
    await fixture.reported.wait(for: 1)
    await fixture.send(Self.connected)
    await fixture.clock.deadlines.wait(until: { $0 == [.seconds(10)] })
    fixture.clock.base.advance(by: .seconds(9))
    await fixture.send(Self.disconnected)
    await fixture.send(Self.connected)
    await fixture.clock.deadlines.wait(until: { $0 == [.seconds(10), .seconds(19)] })
    fixture.clock.base.advance(by: .seconds(9))
    #expect(fixture.passed.events.isEmpty)
    fixture.clock.base.advance(by: .seconds(1))
    await fixture.passed.wait(for: 1)
    locations.finish()
    await run
  }

  @Test func `the second run of a gate releases the location that the first run held`() async {
    let fixture = RunnerFixture(ReachabilityGateTiming())
    let (first, locations) = AsyncStream.makeStream(of: EnrichedLocation.self)
    let run = Task { await fixture.run(first) }
    await fixture.send(Self.disconnected)
    locations.yield(EnrichedLocation(.at(1)))
    await fixture.reported.wait(for: 1)
    run.cancel()
    await run.value
    let (second, end) = AsyncStream.makeStream(of: EnrichedLocation.self)
    async let rerun: Void = fixture.run(second)
    await fixture.send(Self.connected, toRun: 2)
    #expect(await fixture.passed.wait(for: 1) == [.at(1)])
    end.finish()
    await rerun
  }

  @Test func `a restarted gate waits only for the remaining time of an interval`() async {
    let fixture = RunnerFixture(ReachabilityGateTiming(expensiveInterval: .seconds(60)))
    var expensivePath = Self.connected
    expensivePath.isExpensive = true
    for round in 1...4 {
      let (input, locations) = AsyncStream.makeStream(of: EnrichedLocation.self)
      let run = Task { await fixture.run(input) }
      await fixture.send(expensivePath, toRun: round)
      locations.yield(EnrichedLocation(.at(Double(round))))
      if round == 1 { await fixture.passed.wait(for: 1) }
      await fixture.clock.deadlines.wait(for: round)
      if round < 4 {
        fixture.clock.base.advance(by: .seconds(19))
      } else {
        await fixture.reported.wait { $0.contains { $0.verdict == .holds(reason: "expensive") } }
        fixture.clock.base.advance(by: .seconds(3))
        #expect(await fixture.passed.wait(for: 2).last != .at(1))
      }
      run.cancel()
      await run.value
    }
    // All four runs waited for the same deadline.
    let deadlines = fixture.clock.deadlines.events.prefix(4)
    #expect(deadlines == [.seconds(60), .seconds(60), .seconds(60), .seconds(60)])
  }

  @Test(arguments: [-1, 0, 0.5, 1, 2, .nan, .infinity, -.infinity])
  func `a jittered release delay is between zero and the maximum for any random number`(random: Double) throws {
    let delay = try #require(ReachabilityGateTiming.jittered(random: { random }).releaseDelay)
    #expect((.zero ... .seconds(30)).contains(delay()))
  }

  @Test func `jittered release delays are spread evenly over 30 seconds`() throws {
    let delay = try #require(ReachabilityGateTiming.jittered().releaseDelay)
    let delays = (0..<1000).map { _ in delay() }
    #expect(delays.allSatisfy { (.zero ... .seconds(30)).contains($0) })
    for third in 0..<3 {
      let begin = Duration.seconds(third * 10)
      let count = delays.count { $0 >= begin && $0 < begin + .seconds(10) }
      #expect((200...470).contains(count))
    }
  }
}
