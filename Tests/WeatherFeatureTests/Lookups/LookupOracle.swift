// SPDX-License-Identifier: Apache-2.0

import LocationServices
import Positioning
import WeatherClient

@testable import WeatherClientLive
@testable import WeatherFeature

/// Checks the requests to providers and the reports to programs against the rules, with the true
/// time.
///
/// The rules are listed in the comment of ``LookupPropertyTests``.
struct LookupOracle {
  /// The true time, the number of the boot, and whether the wall clock is right.
  struct Moment {
    var time: Int64
    var boot: Int
    var isWallRight: Bool
  }

  private struct Lookup {
    var at: Moment
    /// The end of the lookup, at which the requests beyond the reserved number are counted.
    var end: Moment
    var requests: Int
    /// The maximum number of requests that the scheduler may have counted.
    var counted: Int
  }

  /// A pause of a provider with its minimum and maximum duration in seconds.
  private struct Pause {
    var since: Moment
    var minSeconds: Double
    var maxSeconds: Double
  }

  private struct Server {
    var lookups: [Lookup] = []
    var pause: Pause?
    var hasRefused = false
    var maxRequests = 1
    /// The time at which the ledger was first read after the last change of the clocks; `nil` if
    /// the ledger has not been read since that change.
    var rebasedAt: Int64?
  }

  private struct ProgramState {
    var lastAttempt: Int64?
    var pausedUntil: Double = -.infinity
    var answer: (place: Coordinate, report: Coordinate, end: Double)?
  }

  private struct CachedReport {
    var report: StoredReport
    var at: Moment
  }

  /// A description of the first broken rule, or `nil` if no rule is broken.
  private(set) var breach: String?
  /// The number of requests sent.
  private(set) var requests = 0
  /// The number of lookups at providers; each may take several requests.
  private(set) var lookupCount = 0
  private let rules: LookupRules
  private let wallClockJumps: Bool
  private var servers: [String: Server] = [:]
  private var programStates = [ProgramState(), ProgramState()]
  private var cache: [String: CachedReport] = [:]

  init(_ rules: LookupRules, wallClockJumps: Bool) {
    self.rules = rules
    self.wallClockJumps = wallClockJumps
    for rule in rules.providers {
      servers[rule.name] = Server(maxRequests: rule.requestsPerLookup)
    }
  }

  private mutating func fail(_ text: String) { breach = breach ?? text }

  /// Whether the board can determine the time between two moments.
  ///
  /// Returns `true` within a boot. Between boots, returns `false` if the wall clock may have been
  /// set to a wrong time. The board recognizes a wall clock that is not set.
  private func isIntervalKnown(_ then: Moment, _ now: Moment) -> Bool {
    then.boot == now.boot || !wallClockJumps
  }

  /// Whether the centres of two cells are so near that a report for one cell applies everywhere in
  /// the other cell.
  private func isSurelyNear(_ first: Coordinate, _ other: Coordinate) -> Bool {
    first == other
      || rules.decimals >= 2 && first.distanceMeters(to: other) <= LookupRules.reachMeters - 800
  }

  // MARK: Requests

  mutating func requested(
    _ name: String, requests count: Int, for lookup: LookupEnvironment.Lookup,
    beside other: LookupEnvironment.Lookup?, _ now: Moment
  ) {
    guard let server = servers[name], let cell = rules.cell(at: lookup.place).coordinate else {
      return
    }
    requests += count
    lookupCount += 1
    if let other, let request = other.request,
      now.time - request.began < LookupEnvironment.deadlineSeconds
    {
      if request.name == name { fail("two requests to \(name) at the same time") }
      // A program waits for the request of the other program until its own lookup's deadline.
      if request.began <= lookup.began, let otherCell = rules.cell(at: other.place).coordinate,
        isSurelyNear(otherCell, cell)
      {
        fail("two requests for the same place at the same time")
      }
    }
    if server.hasRefused { fail("\(name) is contacted after a refusal") }
    if let last = server.lookups.last, isIntervalKnown(last.at, now), now.time - last.at.time < 60 {
      fail("\(name) is contacted \(now.time - last.at.time) s after the previous lookup")
    }
    if let pause = server.pause, isIntervalKnown(pause.since, now),
      Double(now.time - pause.since.time) < pause.minSeconds
    {
      fail(
        "\(name) contacted \(now.time - pause.since.time) s into a pause of \(pause.minSeconds) s"
      )
    }
    let today = server.lookups.filter {
      now.time - $0.at.time < 86_400 && isIntervalKnown($0.at, now)
    }
    let budget = rules.providers.first { $0.name == name }?.dailyBudget ?? 0
    let sum = today.reduce(count) { $0 + $1.requests }
    if sum > budget { fail("\(name) receives \(sum) requests in a day; the limit is \(budget)") }
    for old in cache.values
    where old.at.boot == now.boot || !wallClockJumps && old.at.isWallRight && now.isWallRight {
      let minSeconds = old.report.validSeconds / 1.1 - 1
      guard Double(now.time - old.at.time) < minSeconds else { continue }
      if isSurelyNear(old.report.coordinate, cell) {
        fail(
          "new request \(now.time - old.at.time) s after a report that is fresh for \(minSeconds) s"
        )
      }
    }
    let counted = max(server.maxRequests, count)
    servers[name]?.lookups.append(Lookup(at: now, end: now, requests: count, counted: counted))
    servers[name]?.maxRequests = counted
  }

  mutating func ended(_ name: String, _ outcome: ProviderOutcome, _ now: Moment) {
    func pause(_ minSeconds: Double, _ maxSeconds: Double) {
      servers[name]?.pause = Pause(since: now, minSeconds: minSeconds, maxSeconds: maxSeconds)
    }
    if let last = servers[name]?.lookups.indices.last { servers[name]?.lookups[last].end = now }
    switch outcome {
    case .answered, .notServed: servers[name]?.pause = nil
    case .cancelled: break
    case .refused: servers[name]?.hasRefused = true
    case .unreachable: pause(60, 121)
    case .denied: pause(86_400, 86_401)
    case .failed(nil), .unanswered: pause(60, 3601)
    case .intercepted: pause(60, 601)
    case .failed(let seconds?):
      pause(min(max(seconds, 60), 86_400), min(max(seconds * 1.1, 3600), 86_400) + 1)
    }
  }

  /// Removes a killed program's requests beyond the reserved number, which were never counted.
  mutating func killed(_ name: String) {
    guard var server = servers[name], let last = server.lookups.indices.last else { return }
    let reserved = rules.providers.first { $0.name == name }?.requestsPerLookup ?? 1
    server.lookups[last].requests = min(server.lookups[last].requests, reserved)
    servers[name] = server
  }

  // MARK: Liveness

  /// Whether all rules allow a provider to be contacted, for every possible jitter.
  private func isCertainlyAvailable(_ rule: ProviderRules, _ now: Moment) -> Bool {
    guard let server = servers[rule.name], !server.hasRefused else { return false }
    func isFinished(_ then: Moment, _ seconds: Double) -> Bool {
      // A period that began in an earlier boot may start again when the ledger is first read.
      guard let begin = then.boot == now.boot ? then.time : server.rebasedAt else { return false }
      return Double(now.time - max(begin, then.time)) > seconds + 1
    }
    if let last = server.lookups.last, !isFinished(last.at, 61) { return false }
    if let pause = server.pause, !isFinished(pause.since, pause.maxSeconds) { return false }
    let counted = server.lookups.filter { !isFinished($0.end, 26 * 3600) }.reduce(0) {
      $0 + $1.counted
    }
    return counted + server.maxRequests <= rule.dailyBudget
  }

  mutating func decided(
    _ decision: ProviderScheduler.Decision, excluding excluded: Set<String>, _ now: Moment
  ) {
    for rule in rules.providers where !excluded.contains(rule.name) {
      if decision == .ask(rule.name) { break }
      if isCertainlyAvailable(rule, now) {
        fail("\(rule.name) is available, but the decision is \(decision)")
      }
    }
    for rule in rules.providers where !excluded.contains(rule.name) {
      if servers[rule.name]?.rebasedAt == nil { servers[rule.name]?.rebasedAt = now.time }
      if decision == .ask(rule.name) { break }
    }
  }

  /// Records a change of the clocks, after which each ledger is rebased when it is read.
  mutating func clocksChanged() { for name in servers.keys { servers[name]?.rebasedAt = nil } }

  // MARK: Answers to programs

  mutating func stored(_ report: StoredReport, expiresInSeconds: Int64?, _ now: Moment) {
    let expiry = Double(expiresInSeconds ?? 1800)
    let minSeconds = min(max(expiry, 300), 6 * 3600)
    if !(minSeconds...minSeconds * 1.1).contains(report.validSeconds) {
      fail("a report that expires in \(expiry) s is cached for \(report.validSeconds) s")
    }
    cache[report.cell] = CachedReport(report: report, at: now)
  }

  mutating func servedFromCache(_ report: StoredReport, at place: Coordinate, _ now: Moment) {
    guard let old = cache[report.cell] else { return fail("a report was served but never stored") }
    let age = Double(now.time - old.at.time)
    if isIntervalKnown(old.at, now), age > report.validSeconds {
      fail("a report was served after \(age) s, but is fresh for \(report.validSeconds) s")
    }
    if report.coordinate.distanceMeters(to: place) > LookupRules.reachMeters,
      StoredReport.name(of: rules.cell(at: place)) != report.cell
    {
      fail("a report for a distant place was served")
    }
  }

  mutating func answered(
    _ index: Int, at place: Coordinate, with report: StoredReport, isCached: Bool, _ now: Moment
  ) {
    let old = cache[report.cell]
    let end = old.map { Double($0.at.time) + report.validSeconds + 1 }
    let isAgeKnown = old.map { isIntervalKnown($0.at, now) } ?? false
    let longest = Double(now.time) + LookupPolicy().maximumAgeSeconds
    // After a new report, no lookup is required for half an hour, even if the report expires.
    let due =
      isAgeKnown && isCached ? end ?? longest : max(isAgeKnown ? end ?? longest : 0, longest)
    programStates[index].answer = (place, report.coordinate, due)
  }

  mutating func paused(_ index: Int, _ seconds: Double, _ now: Moment) {
    programStates[index].pausedUntil = Double(now.time) + min(max(seconds, 0), 86_400)
  }

  mutating func restarted(_ index: Int) { programStates[index] = ProgramState() }

  /// Checks a program's decision whether to start a lookup.
  mutating func considered(_ index: Int, at place: Coordinate, isDue: Bool, _ now: Moment) {
    let program = programStates[index]
    if isDue { programStates[index].lastAttempt = now.time }
    if let last = program.lastAttempt, now.time - last < 60 {
      if isDue { fail("a lookup started \(now.time - last) s after the previous lookup") }
      return
    }
    if Double(now.time) < program.pausedUntil {
      if isDue { fail("a lookup started during a pause that the service returned") }
      return
    }
    guard !isDue else { return }
    guard let answer = program.answer else {
      return fail("no lookup started although the program has no report")
    }
    if Double(now.time) > answer.end {
      return fail("no lookup started \(Double(now.time) - answer.end) s after the report expired")
    }
    let isReportNear = answer.report.distanceMeters(to: answer.place) < LookupRules.reachMeters
    let moved = place.distanceMeters(to: isReportNear ? answer.report : answer.place)
    if moved >= LookupRules.reachMeters { fail("no lookup started \(moved) m from the report") }
  }
}
