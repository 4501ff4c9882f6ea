// SPDX-License-Identifier: Apache-2.0

import LocationServices
import Positioning
import WeatherClient

@testable import WeatherClientLive
@testable import WeatherFeature

/// What providers see of a board and what its programs are told, held against the rules by the true
/// time.
struct LookupOracle {
  /// When something was, by the truth, and what the board's own clocks could tell of it.
  struct Moment {
    var time: Int64
    var boot: Int
    var isWallRight: Bool
  }

  private struct Ask {
    var at: Moment
    /// When it was over: what it took beyond what was set aside is counted then.
    var end: Moment
    var requests: Int
    /// At most as many may have been counted for it.
    var counted: Int
  }

  /// For how long a provider is to be left alone: at least and at most.
  private struct Rest {
    var since: Moment
    var least: Double
    var most: Double
  }

  private struct Server {
    var asks: [Ask] = []
    var rest: Rest?
    var hasRefused = false
    var maxRequests = 1
    /// Since when its ledger goes by the clocks as they are.
    var settledAt: Int64?
  }

  private struct Reader {
    var lastAttempt: Int64?
    var pausedUntil: Double = -.infinity
    var answer: (place: Coordinate, report: Coordinate, end: Double)?
  }

  private struct Kept {
    var report: StoredReport
    var at: Moment
  }

  private(set) var breach: String?
  /// How many requests went out.
  private(set) var requests = 0
  /// How many times a provider was asked, whatever it took of requests.
  private(set) var asks = 0
  private let rules: LookupRules
  private let isWild: Bool
  private var servers: [String: Server] = [:]
  private var readers = [Reader(), Reader()]
  private var kept: [String: Kept] = [:]

  init(_ rules: LookupRules, isWild: Bool) {
    self.rules = rules
    self.isWild = isWild
    for rule in rules.providers {
      servers[rule.name] = Server(maxRequests: rule.requestsPerLookup)
    }
  }

  private mutating func fail(_ text: String) { breach = breach ?? text }

  /// Whether the board's clocks tell how long ago something was.
  ///
  /// Within a boot they always do, and from boot to boot unless the wall clock leads them astray; of
  /// one that is not set they know that it is not.
  private func isKnown(_ then: Moment, _ now: Moment) -> Bool { then.boot == now.boot || !isWild }

  /// Whether the middles of two cells are so near that all of the one is within reach of the other's.
  private func isSurelyNear(_ one: Coordinate, _ other: Coordinate) -> Bool {
    one == other
      || rules.decimals >= 2 && one.distanceMeters(to: other) <= LookupRules.reachMeters - 800
  }

  // MARK: Requests

  mutating func asked(
    _ name: String, requests count: Int, for lookup: LookupEnvironment.Lookup,
    beside other: LookupEnvironment.Lookup?, _ now: Moment
  ) {
    guard let server = servers[name], let cell = rules.cell(at: lookup.place).coordinate else {
      return
    }
    requests += count
    asks += 1
    if let other, let request = other.request,
      now.time - request.began < LookupEnvironment.deadlineSeconds
    {
      if request.name == name { fail("two requests to \(name) at the same time") }
      // One that was made before is waited for; of those that follow it, no more than that long.
      if request.began <= lookup.began, let there = rules.cell(at: other.place).coordinate,
        isSurelyNear(there, cell)
      {
        fail("two requests for the same place at the same time")
      }
    }
    if server.hasRefused { fail("\(name) is asked after it has refused") }
    if let last = server.asks.last, isKnown(last.at, now), now.time - last.at.time < 60 {
      fail("\(name) is asked \(now.time - last.at.time) s after the request before")
    }
    if let rest = server.rest, isKnown(rest.since, now),
      Double(now.time - rest.since.time) < rest.least
    {
      fail("\(name) is asked \(now.time - rest.since.time) s into a rest of \(rest.least) s")
    }
    let today = server.asks.filter { now.time - $0.at.time < 86_400 && isKnown($0.at, now) }
    let budget = rules.providers.first { $0.name == name }?.dailyBudget ?? 0
    let sum = today.reduce(count) { $0 + $1.requests }
    if sum > budget { fail("\(name) sees \(sum) requests in a day, and \(budget) are allowed") }
    for old in kept.values
    where old.at.boot == now.boot || !isWild && old.at.isWallRight && now.isWallRight {
      let least = old.report.validSeconds / 1.1 - 1
      guard Double(now.time - old.at.time) < least else { continue }
      if isSurelyNear(old.report.coordinate, cell) {
        fail("asked again \(now.time - old.at.time) s after a report for \(least) s")
      }
    }
    let most = max(server.maxRequests, count)
    servers[name]?.asks.append(Ask(at: now, end: now, requests: count, counted: most))
    servers[name]?.maxRequests = most
  }

  mutating func ended(_ name: String, _ outcome: ProviderOutcome, _ now: Moment) {
    func rest(_ least: Double, _ most: Double) {
      servers[name]?.rest = Rest(since: now, least: least, most: most)
    }
    if let last = servers[name]?.asks.indices.last { servers[name]?.asks[last].end = now }
    switch outcome {
    case .answered, .notServed: servers[name]?.rest = nil
    case .cancelled: break
    case .refused: servers[name]?.hasRefused = true
    case .unreachable: rest(60, 121)
    case .denied: rest(86_400, 86_401)
    case .failed(nil): rest(60, 3601)
    case .failed(let seconds?):
      rest(min(max(seconds, 60), 86_400), min(max(seconds * 1.1, 3600), 86_400) + 1)
    }
  }

  /// A program that is killed has sent no more than was set aside; the count stands as it was.
  mutating func killed(_ name: String) {
    guard var server = servers[name], let last = server.asks.indices.last else { return }
    let aside = rules.providers.first { $0.name == name }?.requestsPerLookup ?? 1
    server.asks[last].requests = min(server.asks[last].requests, aside)
    servers[name] = server
  }

  // MARK: Liveness

  /// Whether a provider may be asked by every rule, whatever jitter there was.
  private func isSurelyFree(_ rule: ProviderRules, _ now: Moment) -> Bool {
    guard let server = servers[rule.name], !server.hasRefused else { return false }
    func isFinished(_ then: Moment, _ seconds: Double) -> Bool {
      // Of a former boot, anew from when its ledger was first looked at in this.
      guard let begin = then.boot == now.boot ? then.time : server.settledAt else { return false }
      return Double(now.time - max(begin, then.time)) > seconds + 1
    }
    if let last = server.asks.last, !isFinished(last.at, 61) { return false }
    if let rest = server.rest, !isFinished(rest.since, rest.most) { return false }
    let counted = server.asks.filter { !isFinished($0.end, 26 * 3600) }.reduce(0) {
      $0 + $1.counted
    }
    return counted + server.maxRequests <= rule.dailyBudget
  }

  mutating func decided(
    _ decision: ProviderScheduler.Decision, excluding passed: Set<String>, _ now: Moment
  ) {
    for rule in rules.providers where !passed.contains(rule.name) {
      if decision == .ask(rule.name) { break }
      if isSurelyFree(rule, now) { fail("\(rule.name) may be asked, and is not: \(decision)") }
    }
    for rule in rules.providers where !passed.contains(rule.name) {
      if servers[rule.name]?.settledAt == nil { servers[rule.name]?.settledAt = now.time }
      if decision == .ask(rule.name) { break }
    }
  }

  /// What one clock said counts no more when it is another's turn.
  mutating func clocksChanged() { for name in servers.keys { servers[name]?.settledAt = nil } }

  // MARK: What programs are told

  mutating func stored(_ report: StoredReport, saidSeconds: Int64?, _ now: Moment) {
    let said = Double(saidSeconds ?? 1800)
    let least = min(max(said, 300), 6 * 3600)
    if !(least...least * 1.1).contains(report.validSeconds) {
      fail("kept for \(report.validSeconds) s what its provider said holds for \(said) s")
    }
    kept[report.cell] = Kept(report: report, at: now)
  }

  mutating func told(_ report: StoredReport, at place: Coordinate, _ now: Moment) {
    guard let old = kept[report.cell] else { return fail("told what nobody said") }
    let age = Double(now.time - old.at.time)
    if isKnown(old.at, now), age > report.validSeconds {
      fail("told a report of \(age) s ago that held for \(report.validSeconds) s")
    }
    if report.coordinate.distanceMeters(to: place) > LookupRules.reachMeters,
      StoredReport.name(of: rules.cell(at: place)) != report.cell
    {
      fail("told a report for a place far away")
    }
  }

  mutating func answered(
    _ index: Int, at place: Coordinate, with report: StoredReport, isKept: Bool, _ now: Moment
  ) {
    let old = kept[report.cell]
    let end = old.map { Double($0.at.time) + report.validSeconds + 1 }
    let isTold = old.map { isKnown($0.at, now) } ?? false
    let longest = Double(now.time) + LookupPolicy().maximumAgeSeconds
    // What was just said need not be asked again for half an hour, whatever its expiry.
    let due = isTold && isKept ? end ?? longest : max(isTold ? end ?? longest : 0, longest)
    readers[index].answer = (place, report.coordinate, due)
  }

  mutating func refused(_ index: Int, _ seconds: Double, _ now: Moment) {
    readers[index].pausedUntil = Double(now.time) + min(max(seconds, 0), 86_400)
  }

  mutating func restarted(_ index: Int) { readers[index] = Reader() }

  /// A program has a location, and looks it up or not.
  mutating func considered(_ index: Int, at place: Coordinate, isDue: Bool, _ now: Moment) {
    let reader = readers[index]
    if isDue { readers[index].lastAttempt = now.time }
    if let last = reader.lastAttempt, now.time - last < 60 {
      if isDue { fail("looked up \(now.time - last) s after the lookup before") }
      return
    }
    if Double(now.time) < reader.pausedUntil {
      if isDue { fail("looked up before the time that the service told") }
      return
    }
    guard !isDue else { return }
    guard let answer = reader.answer else { return fail("not looked up, and never answered") }
    if Double(now.time) > answer.end {
      return fail("not looked up \(Double(now.time) - answer.end) s after the report has expired")
    }
    let isFine = answer.report.distanceMeters(to: answer.place) < LookupRules.reachMeters
    let moved = place.distanceMeters(to: isFine ? answer.report : answer.place)
    if moved >= LookupRules.reachMeters { fail("not looked up \(moved) m from the report's place") }
  }
}
