// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import LocationServices
import Positioning
import SystemSupport
import WeatherClient

@testable import WeatherClientLive
@testable import WeatherFeature

/// A simulation of two programs that share a store, with their board and the providers.
///
/// The simulation uses ``LookupPolicy`` and ``LookupRules`` without tasks, network or files. The
/// wall clock of the board may be wrong.
struct LookupEnvironment {
  /// A bug that is injected to test ``LookupOracle``, which must detect the bug.
  enum InjectedBug: CaseIterable {
    case forgetsLedgers, forgetsReports, endsPauses, countsOneRequest, skipsFirstProvider
    case ignoresLookupsInProgress, usesWallClock, treatsCachedReportsAsNew
    case measuresDistanceFromBoard, pausesForADay, usesBoardClockForExpiry
  }

  /// The way in which a request ends.
  enum Ending {
    case report(expiresInSeconds: Int64?)
    case failure(ProviderOutcome)
    /// The lookup is cancelled while the request waits for its reply.
    case cancelled
  }

  struct Request {
    let name: String
    let began: Int64
    let boardTime: BootTimestamp
    let count: Int
  }

  struct Lookup {
    let place: Coordinate
    let began: Int64
    /// The providers that the lookup does not contact again.
    var excluded: Set<String> = []
    /// The providers that the lookup has contacted.
    var contacted: Set<String> = []
    /// The outcome of the last failed request, or `nil` if no request has failed.
    var failure: ProviderOutcome?
    /// The running request, or `nil` while the lookup waits for the request of the other program.
    var request: Request?
  }

  struct Program {
    var policy = LookupPolicy()
    /// The location that waits for a lookup.
    var waiting: Coordinate?
    var lookup: Lookup?
  }

  static let deadlineSeconds: Int64 = 15
  private static let firstUTCSeconds: Int64 = 1_795_262_400

  let rules: LookupRules
  let injectedBug: InjectedBug?
  var oracle: LookupOracle
  /// The true time, in seconds.
  private(set) var now: Int64 = 100_000
  private(set) var boot = 0
  private var bootTime: Int64 = 90_000
  /// The error of the wall clock in seconds, or `nil` if the clock is not set.
  private(set) var wallOffset: Int64? = 0
  private(set) var place: Coordinate
  /// Whether the receiver has a fix.
  var hasFix = true
  private(set) var programs = [Program(), Program()]
  private(set) var reports: [StoredReport] = []
  private var ledgers: [String: ProviderUsage] = [:]
  private var random: SeededGenerator

  /// Creates a simulation with a correct wall clock.
  ///
  /// Set `wallClockJumps` to `true` if the wall clock will be set to wrong times.
  init(
    rules: LookupRules, wallClockJumps: Bool, at place: Coordinate, seed: UInt64,
    _ injectedBug: InjectedBug?
  ) {
    self.rules = rules
    self.place = place
    self.injectedBug = injectedBug
    oracle = LookupOracle(rules, wallClockJumps: wallClockJumps)
    random = SeededGenerator(seed: seed)
  }

  var boardTime: BootTimestamp {
    BootTimestamp(
      utcSeconds: wallOffset.map { Self.firstUTCSeconds + now + $0 } ?? (now - bootTime),
      bootSeconds: now - bootTime, boot: injectedBug == .usesWallClock ? nil : "\(boot)")
  }

  var monotonicTime: MonotonicTime {
    MonotonicTime(nanoseconds: (now - bootTime) * 1_000_000_000)
  }

  var moment: LookupOracle.Moment {
    LookupOracle.Moment(time: now, boot: boot, isWallRight: wallOffset == 0)
  }

  // MARK: Events

  mutating func move(to place: Coordinate) {
    self.place = place
    step()
  }

  /// Advances the clocks, and performs every step at the time at which the step is due.
  mutating func advance(_ seconds: Int64) {
    let end = now + seconds
    step()
    while now < end {
      var next = end
      for program in programs {
        if let lookup = program.lookup {
          next = min(next, (lookup.request?.began ?? lookup.began) + Self.deadlineSeconds)
        } else if let waiting = program.waiting {
          let untilDue = program.policy.secondsUntilDue(at: waiting, now: monotonicTime)
          next = min(next, now + Int64(min(untilDue, 1e9).rounded(.up)))
        }
      }
      now = max(next, now + 1)
      endOverdueRequests()
      step()
    }
  }

  /// Suspends the board, which stops the programs but not the clocks.
  mutating func sleep(_ seconds: Int64) {
    now += seconds
    endOverdueRequests()
    step()
  }

  mutating func setWallClock(offset: Int64?) {
    wallOffset = offset
    oracle.clocksChanged()
    step()
  }

  mutating func restart(_ index: Int) {
    kill(index)
    step()
  }

  /// Resets a program to its initial state.
  ///
  /// Only the store keeps its data.
  private mutating func kill(_ index: Int) {
    if let request = programs[index].lookup?.request { oracle.killed(request.name) }
    programs[index] = Program()
    oracle.restarted(index)
    if injectedBug == .forgetsLedgers { ledgers = [:] }
    if injectedBug == .forgetsReports { reports = [] }
  }

  mutating func reboot(afterSeconds seconds: Int64, offset: Int64?) {
    now += seconds
    (boot, bootTime, wallOffset) = (boot + 1, now - 20, offset)
    oracle.clocksChanged()
    for index in programs.indices { kill(index) }
    step()
  }

  /// Ends the request of a program, if a request is running.
  mutating func endRequest(_ index: Int, _ ending: Ending) {
    guard var lookup = programs[index].lookup, let request = lookup.request else { return }
    lookup.request = nil
    let time = boardTime
    switch ending {
    case .report(let seconds):
      finish(request, .answered, time)
      store(request, for: lookup.place, expiresInSeconds: seconds, time)
      programs[index].lookup = nil
      deliverReport(index, lookup.place, with: reports[0], isCached: false)
    case .failure(let outcome):
      finish(request, outcome, time)
      (lookup.failure, programs[index].lookup) = (outcome, lookup)
      continueLookup(index)
    case .cancelled:
      finish(request, .cancelled, time)
      programs[index].lookup = nil
    }
    step()
  }

  // MARK: Lookups

  /// Sends a fix to both programs, and starts or continues their lookups.
  private mutating func step() {
    for index in programs.indices {
      if hasFix { programs[index].waiting = place }
      if programs[index].lookup != nil {
        continueLookup(index)
      } else if let waiting = programs[index].waiting {
        let isDue = programs[index].policy.startIfDue(at: waiting, now: monotonicTime)
        oracle.considered(index, at: waiting, isDue: isDue, moment)
        guard isDue else { continue }
        programs[index].waiting = nil
        programs[index].lookup = Lookup(place: waiting, began: now)
        if injectedBug == .skipsFirstProvider, let first = rules.providers.first?.name,
          ledgers.values.contains(where: { $0.failures > 0 })
        {
          programs[index].lookup?.excluded = [first]
        }
        continueLookup(index)
      }
    }
  }

  /// Continues a lookup without a running request, as ``WeatherService`` does.
  private mutating func continueLookup(_ index: Int) {
    guard var lookup = programs[index].lookup, lookup.request == nil else { return }
    let time = boardTime
    if let cached = rules.freshReports(at: lookup.place, of: reports, now: time).first {
      programs[index].lookup = nil
      oracle.servedFromCache(cached, at: lookup.place, moment)
      deliverReport(index, lookup.place, with: cached, isCached: true)
      return
    }
    let result = rules.decide(
      at: lookup.place, ledgers: &ledgers, now: time, excluding: lookup.excluded,
      mayWait: now - lookup.began < Self.deadlineSeconds
        && injectedBug != .ignoresLookupsInProgress,
      conditions: nil, using: &random)
    guard case .decided(let decision, let allowance) = result else { return }
    oracle.decided(decision, excluding: lookup.contacted, moment)
    switch decision {
    case .ask(let name):
      let count = Int.random(in: 1...max(1, min(allowance, 6)), using: &random)
      oracle.requested(
        name, requests: count, for: lookup, beside: programs[1 - index].lookup, moment)
      lookup.excluded.insert(name)
      lookup.contacted.insert(name)
      lookup.request = Request(name: name, began: now, boardTime: time, count: count)
      programs[index].lookup = lookup
    case .wait(let seconds, _):
      programs[index].lookup = nil
      let failure = lookup.failure
      if failure == nil { pause(index, seconds.rounded(.up)) }
      if case .failed(let seconds?) = failure { pause(index, seconds) }
    case .never: programs[index].lookup = nil
    }
  }

  /// Records in the policy of a program that no lookup is due for some time.
  private mutating func pause(_ index: Int, _ seconds: Double) {
    oracle.paused(index, seconds, moment)
    programs[index].policy.pause(
      forSeconds: injectedBug == .pausesForADay ? 86_400 : seconds, now: monotonicTime)
  }

  private mutating func deliverReport(
    _ index: Int, _ place: Coordinate, with stored: StoredReport, isCached: Bool
  ) {
    oracle.answered(index, at: place, with: stored, isCached: isCached, moment)
    if isCached, injectedBug == .measuresDistanceFromBoard {
      programs[index].policy.recordAnswer(
        for: place, freshForSeconds: stored.freshForSeconds(at: boardTime), now: monotonicTime)
      return
    }
    var report = WeatherReport(
      coordinate: stored.coordinate, provider: stored.provider, kind: .forecast)
    if isCached, injectedBug != .treatsCachedReportsAsNew {
      report.freshForSeconds = stored.freshForSeconds(at: boardTime)
    }
    programs[index].policy.recordAnswer(with: report, at: place, now: monotonicTime)
  }

  private mutating func finish(
    _ request: Request, _ outcome: ProviderOutcome, _ time: BootTimestamp
  ) {
    rules.finish(
      request.name, outcome, requests: injectedBug == .countsOneRequest ? 1 : request.count,
      began: request.boardTime,
      ledgers: &ledgers, now: time, conditions: nil, using: &random)
    oracle.ended(request.name, outcome, moment)
    if injectedBug == .endsPauses { for name in ledgers.keys { ledgers[name]?.pause = nil } }
  }

  private mutating func store(
    _ request: Request, for place: Coordinate, expiresInSeconds seconds: Int64?,
    _ time: BootTimestamp
  ) {
    // The clocks of providers are always right.
    let serverTime = UTCTime(secondsSince1970: Self.firstUTCSeconds + now)
    let expiry = seconds.map { UTCTime(secondsSince1970: serverTime.secondsSince1970 + $0) }
    let cell = rules.cell(at: place)
    let stored = StoredReport(
      cell: StoredReport.name(of: cell), coordinate: cell.coordinate ?? place,
      provider: request.name, receivedAt: time,
      validSeconds: StoredReport.validSeconds(
        until: expiry, receivedAt: time,
        serverTime: injectedBug == .usesBoardClockForExpiry ? nil : serverTime,
        jitter: .random(in: 0...0.1, using: &random)),
      validator: nil, body: [])
    reports.removeAll { $0.cell == stored.cell }
    reports.insert(stored, at: 0)
    oracle.stored(stored, expiresInSeconds: seconds, moment)
  }

  /// Ends the requests whose deadline has passed.
  private mutating func endOverdueRequests() {
    for index in programs.indices {
      guard var lookup = programs[index].lookup, let request = lookup.request,
        now - request.began >= Self.deadlineSeconds
      else { continue }
      finish(request, .failed(retryAfterSeconds: nil), boardTime)
      (lookup.request, lookup.failure) = (nil, .failed(retryAfterSeconds: nil))
      programs[index].lookup = lookup
    }
  }
}
