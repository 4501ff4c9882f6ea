// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Synchronization
import SystemSupport
import Testing
import WeatherClient

@testable import WeatherClientLive

@Suite("Back-offs that a change of the conditions ends")
struct LookupConditionsTests {
  /// A change of the conditions.
  enum Change: CaseIterable {
    case clockStep, clockStepBack, path, certificates

    func applied(to conditions: LookupConditions) -> LookupConditions {
      var changed = conditions
      switch self {
      case .clockStep: changed.clockOffsetSeconds += 61
      case .clockStepBack: changed.clockOffsetSeconds -= 1_700_000_000
      case .path: changed.path = "1/3"
      case .certificates: changed.certificates = "2"
      }
      return changed
    }
  }

  private static let before = LookupConditions(clockOffsetSeconds: 1_790_000_000, certificates: "1", path: "1/2")

  private func at(_ seconds: Int64) -> BootTimestamp {
    BootTimestamp(utcSeconds: 1_790_000_000 + seconds, bootSeconds: seconds, boot: "boot")
  }

  /// Returns a scheduler whose only provider has failed several times.
  private func failing(_ outcome: ProviderOutcome, times: Int = 12) -> (scheduler: ProviderScheduler, now: Int64) {
    var scheduler = ProviderScheduler([ProviderRules(name: "only", dailyBudget: 1000)])
    var random = SeededGenerator(seed: 3)
    var now: Int64 = 0
    for round in 1...times {
      #expect(scheduler.next(now: at(now)) == .ask("only"))
      scheduler.recordOutcome("only", outcome, now: at(now), conditions: Self.before, using: &random)
      if round < times, case .wait(let seconds, _) = scheduler.next(now: at(now)) {
        now += Int64(seconds.rounded(.up))
      }
    }
    return (scheduler, now)
  }

  @Test(arguments: Change.allCases, [ProviderOutcome.intercepted, .unanswered, .unreachable])
  func `a change ends the back-off after a failed connection with one lookup within 90 s`(
    change: Change, outcome: ProviderOutcome
  ) {
    var (scheduler, now) = failing(outcome)
    var random = SeededGenerator(seed: 5)
    scheduler.endBackOffs(under: Self.before, now: at(now + 1), using: &random)
    let after = change.applied(to: Self.before)
    #expect(scheduler.next(now: at(now + 31)) != .ask("only"))
    scheduler.endBackOffs(under: after, now: at(now + 31), using: &random)
    // The minimum interval of a minute between lookups still applies.
    #expect(scheduler.next(now: at(now + 59)) != .ask("only"))
    #expect(scheduler.next(now: at(now + 62)) == .ask("only"))
    scheduler.recordOutcome("only", outcome, now: at(now + 62), conditions: after, using: &random)
    // Without another change, the next failure causes a back-off again.
    scheduler.endBackOffs(under: after, now: at(now + 63), using: &random)
    #expect(scheduler.next(now: at(now + 63 + 58)) != .ask("only"))
  }

  @Test(arguments: [
    ProviderOutcome.failed(retryAfterSeconds: 3000), .failed(retryAfterSeconds: nil), .denied,
  ])
  func `no change ends a pause after an answer of the provider`(outcome: ProviderOutcome) {
    var (scheduler, now) = failing(outcome, times: 1)
    let ledgers = scheduler.ledgers
    var random = SeededGenerator(seed: 5)
    for change in Change.allCases {
      scheduler.endBackOffs(under: change.applied(to: Self.before), now: at(now), using: &random)
    }
    #expect(scheduler.ledgers == ledgers)
    now += 59
    #expect(scheduler.next(now: at(now)) != .ask("only"))
  }

  @Test func `a clock that flaps every second causes at most one lookup a minute`() {
    var (scheduler, now) = failing(.intercepted)
    var random = SeededGenerator(seed: 5)
    var lookups = 0
    for second in 1...3600 {
      now += 1
      var conditions = Self.before
      conditions.clockOffsetSeconds += second.isMultiple(of: 2) ? 0 : 1_000_000
      scheduler.endBackOffs(under: conditions, now: at(now), using: &random)
      guard case .ask = scheduler.next(now: at(now)) else { continue }
      lookups += 1
      scheduler.recordOutcome("only", .intercepted, now: at(now), conditions: conditions, using: &random)
    }
    #expect((30...60).contains(lookups), "\(lookups)")
  }

  @Test func `boards with the same change spread their lookups over half a minute`() {
    var waits: Set<Double> = []
    for seed in 0..<100 {
      var (scheduler, now) = failing(.intercepted)
      var random = SeededGenerator(seed: UInt64(seed))
      now += 61
      scheduler.endBackOffs(under: Change.path.applied(to: Self.before), now: at(now), using: &random)
      guard case .wait(let seconds, let reason) = scheduler.next(now: at(now)) else { continue }
      #expect(reason == "only is retried soon, because the clock, the network or the certificates changed")
      #expect(seconds <= 31)
      waits.insert(seconds.rounded())
    }
    #expect(waits.count > 20)
  }

  @Test func `a back-off while another server answers is at most ten minutes`() {
    var (scheduler, now) = failing(.intercepted, times: 50)
    guard case .wait(let seconds, _) = scheduler.next(now: at(now)) else {
      Issue.record("no back-off")
      return
    }
    #expect(seconds <= 601)
    now += 601
    #expect(scheduler.next(now: at(now)) == .ask("only"))
  }

  @Test func `small steps of the clock and an unknown path are no changes`() {
    var other = Self.before
    other.clockOffsetSeconds += 60
    other.path = nil
    #expect(!other.haveChanged(since: Self.before) && !Self.before.haveChanged(since: other))
    other.clockOffsetSeconds = .min
    #expect(other.haveChanged(since: Self.before))
    #expect(!LookupConditions.present().haveChanged(since: .present()))
  }

  @Test func `the counter counts each change once`() {
    let conditions = Mutex(Self.before)
    let counter = LookupConditionsCounter { conditions.withLock { $0 } }
    #expect(counter.count() == 0)
    conditions.withLock { $0 = Change.path.applied(to: $0) }
    #expect(counter.count() == 1 && counter.count() == 1)
    conditions.withLock { $0 = Change.clockStep.applied(to: $0) }
    #expect(counter.count() == 2)
  }

  @Test func `a service retries after a change, also in another program with the same store`()
    async throws
  {
    let fixture = try WeatherServiceFixture()
    let isPortal = Mutex(true)
    let server = LoopbackServer { _ in
      isPortal.withLock { $0 }
        ? .answer(status: "302 Found", headers: ["Location: http://portal.invalid/"], "")
        : WeatherServiceFixture.good
    }
    defer { server.stop() }
    let conditions = Mutex(Self.before)
    func program() -> WeatherService {
      WeatherService(
        sources: [WeatherService.Source(fixture.openMeteo(server))], storePath: fixture.path,
        lookup: Exchange.lookup(), now: { [board = fixture.board] in board.now },
        conditions: { conditions.withLock { $0 } }, generator: SeededGenerator(seed: 1))
    }
    let first = program()
    for _ in 0..<6 {
      await #expect(throws: WeatherError.self) { _ = try await first.weather(at: .near(54, 10)) }
      fixture.board.advance(700)
    }
    await #expect(throws: WeatherError.self) { _ = try await first.weather(at: .near(54, 10)) }
    let count = server.requests.count
    isPortal.withLock { $0 = false }
    fixture.board.advance(60)
    let error = await #expect(throws: WeatherError.self) {
      _ = try await first.weather(at: .near(54, 10))
    }
    guard case .notDue = error?.cause else {
      Issue.record("\(String(describing: error))")
      return
    }
    conditions.withLock { $0 = Change.clockStep.applied(to: $0) }
    await #expect(throws: WeatherError.self) { _ = try await program().weather(at: .near(54, 10)) }
    fixture.board.advance(32)
    #expect(try await program().weather(at: .near(54, 10)).provider == "openmeteo")
    #expect(server.requests.count == count + 1)
  }
}
