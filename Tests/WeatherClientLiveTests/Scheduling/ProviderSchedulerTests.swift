// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import LocationServices
import SystemSupport
import Testing

@testable import WeatherClientLive

@Suite("Provider scheduler")
struct ProviderSchedulerTests {
  private static let boot = "11111111-2222-3333-4444-555555555555"

  private func at(_ seconds: Int64, utc: Int64? = nil, boot: String? = Self.boot) -> BootTimestamp {
    BootTimestamp(utcSeconds: utc ?? 1_790_000_000 + seconds, bootSeconds: seconds, boot: boot)
  }

  private let twoProviders = [ProviderRules(name: "first"), ProviderRules(name: "second")]

  private static let refusedForGood = ProviderScheduler.Decision.never(
    reason: "metno refused this configuration; change its contact, key or URL to retry")

  @Test func `the provider scheduler selects the first provider`() {
    var scheduler = ProviderScheduler(twoProviders)
    #expect(scheduler.next(now: at(0)) == .ask("first"))
  }

  @Test func `a provider is not selected twice within a minute`() {
    var scheduler = ProviderScheduler([ProviderRules(name: "only")])
    var random = SeededGenerator(seed: 1)
    #expect(scheduler.next(now: at(0)) == .ask("only"))
    scheduler.recordOutcome("only", .answered, now: at(1), using: &random)
    #expect(
      scheduler.next(now: at(60))
        == .wait(seconds: 1, reason: "only was contacted less than a minute ago"))
    #expect(scheduler.next(now: at(61)) == .ask("only"))
  }

  @Test func `five typed places are looked up in a minute, and none delays the lookups of the board`() {
    let rules = [ProviderRules(name: "only", dailyBudget: 16)]
    var board = ProviderScheduler(rules)
    #expect(board.next(now: at(0)) == .ask("only"))
    var typed = ProviderScheduler(rules, ledgers: board.ledgers, scope: .typed)
    for second in 0..<5 { #expect(typed.next(now: at(Int64(second))) == .ask("only")) }
    let limit = ProviderScheduler.Decision.wait(
      seconds: 1, reason: "only gets at most 5 lookups of places a minute")
    #expect(typed.next(now: at(60)) == limit)
    #expect(typed.next(now: at(61)) == .ask("only"))
    #expect(typed.next(now: at(61)) == limit)
    board = ProviderScheduler(rules, ledgers: typed.ledgers)
    #expect(board.next(now: at(60)) == .wait(seconds: 1, reason: "only was contacted less than a minute ago"))
    #expect(board.next(now: at(61)) == .ask("only"))
    // The daily limit is common, and half of it is for the board.
    typed = ProviderScheduler(rules, ledgers: board.ledgers, scope: .typed)
    #expect(
      typed.next(now: at(200)) == .wait(seconds: 3600, reason: "daily limit of 8 requests reached for only"))
    #expect(board.next(now: at(200)) == .ask("only"))
  }

  @Test func `the second provider is used until the back-off of the failed first provider ends`() {
    var scheduler = ProviderScheduler(twoProviders)
    var random = SeededGenerator(seed: 1)
    #expect(scheduler.next(now: at(0)) == .ask("first"))
    scheduler.recordOutcome("first", .failed(retryAfterSeconds: nil), now: at(2), using: &random)
    #expect(scheduler.next(now: at(2)) == .ask("second"))
    scheduler.recordOutcome("second", .answered, now: at(3), using: &random)
    // The back-off after the first failure is one to two minutes.
    #expect(scheduler.next(now: at(62), excluding: ["second"]) != .ask("first"))
    #expect(scheduler.next(now: at(124)) == .ask("first"))
    scheduler.recordOutcome("first", .answered, now: at(125), using: &random)
    #expect(scheduler.next(now: at(200)) == .ask("first"))
  }

  @Test(arguments: [
    (60.0, 60.0), (7200, 7200), (1e9, 86_400), (-5, 60), (.nan, 60), (.infinity, 86_400),
  ])
  func `a pause that a provider requests lasts as long as requested, at most a day`(
    _ requested: Double, _ minSeconds: Double
  ) {
    var scheduler = ProviderScheduler([ProviderRules(name: "only")])
    var random = SeededGenerator(seed: 7)
    #expect(scheduler.next(now: at(0)) == .ask("only"))
    scheduler.recordOutcome(
      "only", .failed(retryAfterSeconds: requested), now: at(0), using: &random)
    guard case .wait(let seconds, _) = scheduler.next(now: at(0)) else {
      Issue.record("selected during the pause")
      return
    }
    #expect(seconds >= minSeconds && seconds <= max(120, min(minSeconds * 1.1, 86_400)) + 1)
  }

  @Test(arguments: [(LookupScope.nearby, LookupScope.centreOfCell), (.centreOfCell, .nearby)])
  func `a requested pause applies to both lookup scopes, a back-off only to its own scope`(
    asked: LookupScope, other: LookupScope
  ) {
    let rules = [ProviderRules(name: "only")]
    var random = SeededGenerator(seed: 7)
    for (requested, appliesToOther) in [(3600.0, true), (nil, false)] as [(Double?, Bool)] {
      var scheduler = ProviderScheduler(rules, scope: asked)
      _ = scheduler.next(now: at(0))
      scheduler.recordOutcome(
        "only", .failed(retryAfterSeconds: requested), now: at(0), using: &random)
      var otherScheduler = ProviderScheduler(rules, ledgers: scheduler.ledgers, scope: other)
      #expect((otherScheduler.next(now: at(61)) != .ask("only")) == appliesToOther)
    }
  }

  @Test func `boards whose lookups failed at the same time spread their retries over a minute`() {
    var waits: Set<Double> = []
    for seed in 0..<100 {
      var scheduler = ProviderScheduler([ProviderRules(name: "only")])
      var random = SeededGenerator(seed: UInt64(seed))
      _ = scheduler.next(now: at(0))
      scheduler.recordOutcome("only", .failed(retryAfterSeconds: nil), now: at(0), using: &random)
      guard case .wait(let seconds, _) = scheduler.next(now: at(0)) else { continue }
      #expect((60...121).contains(seconds))
      waits.insert(seconds.rounded())
    }
    #expect(waits.count > 40)
  }

  @Test func `a cancelled lookup does not change the failure count of the provider`() {
    var scheduler = ProviderScheduler([ProviderRules(name: "only")])
    var random = SeededGenerator(seed: 1)
    for (seconds, outcome) in [
      (0, ProviderOutcome.failed(retryAfterSeconds: nil)), (200, .cancelled),
    ] {
      #expect(scheduler.next(now: at(Int64(seconds))) == .ask("only"))
      scheduler.recordOutcome("only", outcome, now: at(Int64(seconds)), using: &random)
    }
    #expect(scheduler.ledgers["only"]?.failures == 1)
  }

  @Test func `the back-off of a failing provider grows to at most one hour`() {
    var scheduler = ProviderScheduler([ProviderRules(name: "only", dailyBudget: 1000)])
    var random = SeededGenerator(seed: 3)
    var now: Int64 = 0
    var longest = 0.0
    for _ in 0..<200 {
      guard case .ask = scheduler.next(now: at(now)) else {
        Issue.record("not selected after the wait")
        return
      }
      scheduler.recordOutcome("only", .failed(retryAfterSeconds: nil), now: at(now), using: &random)
      guard case .wait(let seconds, _) = scheduler.next(now: at(now)) else {
        Issue.record("selected immediately after a failure")
        return
      }
      #expect(seconds >= 60 && seconds <= 3601)
      longest = max(longest, seconds)
      now += Int64(seconds.rounded(.up))
    }
    #expect(longest > 3000)
  }

  @Test func `a provider that refused a configuration is not used until the configuration changes`() {
    var scheduler = ProviderScheduler([ProviderRules(name: "metno", configuration: "no contact")])
    var random = SeededGenerator(seed: 1)
    #expect(scheduler.next(now: at(0)) == .ask("metno"))
    scheduler.recordOutcome("metno", .refused, now: at(1), using: &random)
    #expect(
      scheduler.next(now: at(1_000_000)) == Self.refusedForGood)

    var same = ProviderScheduler(
      [ProviderRules(name: "metno", configuration: "no contact")], ledgers: scheduler.ledgers)
    #expect(same.next(now: at(5, boot: "b")) == Self.refusedForGood)
    var changed = ProviderScheduler(
      [ProviderRules(name: "metno", configuration: "with contact")], ledgers: scheduler.ledgers)
    #expect(changed.next(now: at(1_000_000)) == .ask("metno"))
  }

  @Test func `a lookup at a place that a provider does not cover is not counted as a failure`() {
    var scheduler = ProviderScheduler(twoProviders)
    var random = SeededGenerator(seed: 1)
    #expect(scheduler.next(now: at(0)) == .ask("first"))
    scheduler.recordOutcome("first", .notServed, now: at(1), using: &random)
    #expect(scheduler.next(now: at(1), excluding: ["first"]) == .ask("second"))
    #expect(scheduler.ledgers["first"]?.failures == 0)
  }

  @Test func `the daily limit still applies after a restart and a reboot`() {
    let rules = [ProviderRules(name: "only", dailyBudget: 3)]
    var scheduler = ProviderScheduler(rules)
    for minute in 0..<3 { #expect(scheduler.next(now: at(Int64(minute) * 61)) == .ask("only")) }
    var restarted = ProviderScheduler(rules, ledgers: scheduler.ledgers)
    #expect(
      restarted.next(now: at(600))
        == .wait(seconds: 3600, reason: "daily limit of 3 requests reached for only"))
    // A reboot with an unset wall clock does not reset the count.
    var rebooted = ProviderScheduler(rules, ledgers: restarted.ledgers)
    #expect(rebooted.next(now: at(5, utc: 0, boot: "b")) != .ask("only"))
    #expect(restarted.next(now: at(25 * 3600)) == .ask("only"))
  }

  @Test func `a wall clock that jumps forward does not reset the daily limit`() {
    var scheduler = ProviderScheduler([ProviderRules(name: "only", dailyBudget: 2)])
    #expect(scheduler.next(now: at(0, utc: 0)) == .ask("only"))
    #expect(scheduler.next(now: at(100, utc: 1_790_000_000)) == .ask("only"))
    #expect(scheduler.next(now: at(200, utc: 1_890_000_000)) != .ask("only"))
  }

  @Test func `without providers the scheduler decides that no lookup is possible`() {
    var scheduler = ProviderScheduler([])
    #expect(scheduler.next(now: at(0)) == .never(reason: "no provider left to try"))
  }

  /// The history of one provider: the lookups, their numbers of requests, and the end of the pause.
  private struct ProviderHistory {
    var lookups: [(at: Int64, requests: Int)] = []
    var pauseEnd = 0.0
    var maxRequests = 1
    var hasRefused = false
  }

  /// The wall clock is either right or near 1970, and changes between these two states within a
  /// boot and at reboots.
  @Test func `random lookups, outcomes, reboots and clock jumps never break a limit`() {
    var reboots = 0
    for seed in 0..<500 {
      var random = SeededGenerator(seed: UInt64(seed))
      let rules = [
        ProviderRules(name: "a", dailyBudget: .random(in: 4...20, using: &random)),
        ProviderRules(name: "b", dailyBudget: .random(in: 4...20, using: &random)),
      ]
      var scheduler = ProviderScheduler(rules)
      var (now, booted, boot, isClockSet): (Int64, Int64, Int, Bool) = (0, 0, 0, false)
      var histories: [String: ProviderHistory] = [:]
      for _ in 0..<300 {
        now += [0, 1, 30, 61, 600, 4000].randomElement(using: &random) ?? 0
        if Int.random(in: 0..<10, using: &random) == 0 { isClockSet.toggle() }
        if Int.random(in: 0..<10, using: &random) == 0 {
          (booted, boot, isClockSet) = (now, boot + 1, .random(using: &random))
          scheduler = ProviderScheduler(rules, ledgers: scheduler.ledgers)
          reboots += 1
        }
        let time = at(
          now - booted, utc: isClockSet ? 1_790_000_000 + now : now - booted, boot: "\(boot)")
        guard case .ask(let name) = scheduler.next(now: time) else { continue }
        var history = histories[name] ?? ProviderHistory()
        #expect(Double(now) >= history.pauseEnd, "selected during a pause, seed \(seed)")
        #expect(!history.hasRefused, "selected after a refusal, seed \(seed)")
        let today = history.lookups.filter { $0.at > now - 86_400 }.reduce(0) { $0 + $1.requests }
        let budget = rules.first { $0.name == name }?.dailyBudget ?? 0
        #expect(
          today + history.maxRequests <= budget,
          "selected without enough requests left, seed \(seed)")
        let needed = Int.random(in: 1...4, using: &random)
        let requests = min(needed, scheduler.allowance(of: name))
        #expect(
          requests > 0 && today + requests <= budget, "exceeds the daily limit, seed \(seed)")
        history.lookups.append((now, requests))
        history.maxRequests = max(history.maxRequests, requests)
        // The program is killed and records no result, so only the reserved requests are counted.
        let isKilled = Int.random(in: 0..<10, using: &random) == 0
        let (outcome, pause) = Self.randomOutcome(using: &random)
        history.pauseEnd = Double(now) + (isKilled ? 60 : pause)
        if !isKilled {
          scheduler.recordRequests(requests, to: name, now: time)
          scheduler.recordOutcome(name, outcome, now: time, using: &random)
          history.hasRefused = outcome == .refused
        } else {
          history.lookups[history.lookups.count - 1].requests = 1
          history.maxRequests =
            scheduler.ledgers[name]?.reservedRequests(for: ProviderRules(name: name)) ?? 1
        }
        histories[name] = history
      }
    }
    #expect(reboots > 5000)
  }

  /// Returns a random outcome and the minimum seconds until the provider may be selected again.
  private static func randomOutcome(using random: inout SeededGenerator) -> (
    ProviderOutcome, Double
  ) {
    switch Int.random(in: 0..<60, using: &random) {
    case 0: return (.refused, .infinity)
    case 1: return (.denied, 86_400)
    case 2..<10: return (.cancelled, 60)
    case 10..<20: return (.unreachable, 60)
    case 20..<30:
      let seconds = Double.random(in: 0...5000, using: &random)
      return (.failed(retryAfterSeconds: seconds), max(60, seconds))
    case 30..<40: return (.failed(retryAfterSeconds: nil), 60)
    case 40..<45: return (.notServed, 60)
    default: return (.answered, 60)
    }
  }

  @Test func `the back-off of an unreachable provider does not grow`() {
    var scheduler = ProviderScheduler([ProviderRules(name: "only", dailyBudget: 1000)])
    var random = SeededGenerator(seed: 3)
    for round in 0..<50 {
      let now = Int64(round) * 200
      #expect(scheduler.next(now: at(now)) == .ask("only"))
      scheduler.recordOutcome("only", .unreachable, now: at(now), using: &random)
      #expect(scheduler.next(now: at(now + 59)) != .ask("only"))
    }
  }

  @Test func `a denied configuration is retried after a day, a changed one immediately`() {
    var scheduler = ProviderScheduler([ProviderRules(name: "only", configuration: "wrong key")])
    var random = SeededGenerator(seed: 3)
    #expect(scheduler.next(now: at(0)) == .ask("only"))
    scheduler.recordOutcome("only", .denied, now: at(0), using: &random)
    guard case .wait(_, let reason) = scheduler.next(now: at(80_000)) else {
      Issue.record("selected within a day")
      return
    }
    #expect(reason.hasPrefix("only rejected the key or the contact"))
    var changed = ProviderScheduler(
      [ProviderRules(name: "only", configuration: "right key")], ledgers: scheduler.ledgers)
    #expect(changed.next(now: at(61)) == .ask("only"))
    #expect(scheduler.next(now: at(86_401)) == .ask("only"))
  }

  @Test func `a lookup of five requests starts only if the daily limit allows five more requests`() {
    var scheduler = ProviderScheduler([ProviderRules(name: "nws", dailyBudget: 12)])
    var lookups = 0
    for minute in 0..<20 {
      let now = at(Int64(minute) * 61)
      guard case .ask = scheduler.next(now: now) else { continue }
      lookups += 1
      scheduler.recordRequests(5, to: "nws", now: now)
    }
    #expect(lookups == 2)
  }

  @Test func `requests that were counted with an unset clock still count after a reboot`() {
    var scheduler = ProviderScheduler([ProviderRules(name: "only", dailyBudget: 1)])
    #expect(scheduler.next(now: at(5, utc: 5, boot: "a")) == .ask("only"))
    #expect(scheduler.next(now: at(5, boot: "b")) != .ask("only"))
    #expect(scheduler.next(now: at(25 * 3600, boot: "b")) != .ask("only"))
    #expect(scheduler.next(now: at(26 * 3600, boot: "b")) == .ask("only"))
  }

  @Test func `a stored ledger with absurd values does not block the provider forever`() throws {
    var ledger = ProviderUsage(at: at(0))
    ledger.failures = .min
    ledger.pause = ProviderUsage.Pause(
      began: at(.max, utc: .max), seconds: .greatestFiniteMagnitude)
    var scheduler = ProviderScheduler([ProviderRules(name: "only")], ledgers: ["only": ledger])
    var random = SeededGenerator(seed: 1)
    _ = scheduler.next(now: at(10))
    scheduler.recordOutcome("only", .failed(retryAfterSeconds: nil), now: at(10), using: &random)
    #expect(scheduler.next(now: at(90_000)) == .ask("only"))
  }
}
