// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import LocationServices
import Positioning
import SystemSupport
import WeatherClient

@testable import WeatherClientLive
@testable import WeatherFeature

/// All that decides on lookups, without its shells: two programs of one board, which share a store,
/// with their providers, a place, and clocks that need not be right.
struct LookupEnvironment {
  /// What can be done wrong, to see that it is seen.
  enum Sabotage: CaseIterable {
    case forgetsLedgers, forgetsReports, endsPauses, countsOneRequest, staysWithTheSecond
    case asksBesideAnother, goesByTheWallClock, trustsKeptReports, driftsWithKeptReports, givesUp
    case goesByItsOwnClockForExpiries
  }

  /// How a request ends.
  enum Ending {
    case report(expiresInSeconds: Int64?)
    case failure(ProviderOutcome)
    /// The program is told to end while it waits.
    case cancelled
  }

  struct Request {
    let name: String
    let began: Int64
    let board: BootTimestamp
    let count: Int
  }

  struct Lookup {
    let place: Coordinate
    let began: Int64
    var passedOver: Set<String> = []
    /// Who has been asked.
    var asked: Set<String> = []
    /// How the provider asked before it failed, where one was.
    var failure: ProviderOutcome?
    /// `nil` while the lookup of the other program is waited for.
    var request: Request?
  }

  struct Program {
    var policy = LookupPolicy()
    /// The location that its weather is wanted for.
    var waiting: Coordinate?
    var lookup: Lookup?
  }

  static let deadlineSeconds: Int64 = 15
  private static let firstUTCSeconds: Int64 = 1_795_262_400

  let rules: LookupRules
  let sabotage: Sabotage?
  var oracle: LookupOracle
  /// The true time, in seconds.
  private(set) var now: Int64 = 100_000
  private(set) var boot = 0
  private var booted: Int64 = 90_000
  /// How far the wall clock is ahead of the truth, in seconds; `nil` where nobody has set it.
  private(set) var wallOffset: Int64? = 0
  private(set) var place: Coordinate
  /// Whether the receiver sees the sky.
  var hasFix = true
  private(set) var programs = [Program(), Program()]
  private(set) var reports: [StoredReport] = []
  private var ledgers: [String: ProviderUsage] = [:]
  private var random: SeededGenerator

  /// Begins with a wall clock that is right, and that jumps anywhere where it is a wild one.
  init(rules: LookupRules, isWild: Bool, at place: Coordinate, seed: UInt64, _ sabotage: Sabotage?)
  {
    self.rules = rules
    self.place = place
    self.sabotage = sabotage
    oracle = LookupOracle(rules, isWild: isWild)
    random = SeededGenerator(seed: seed)
  }

  var board: BootTimestamp {
    BootTimestamp(
      utcSeconds: wallOffset.map { Self.firstUTCSeconds + now + $0 } ?? (now - booted),
      bootSeconds: now - booted, boot: sabotage == .goesByTheWallClock ? nil : "\(boot)")
  }

  var reading: MonotonicTime {
    MonotonicTime(nanoseconds: (now - booted) * 1_000_000_000)
  }

  var moment: LookupOracle.Moment {
    LookupOracle.Moment(time: now, boot: boot, isWallRight: wallOffset == 0)
  }

  // MARK: What happens

  mutating func move(to place: Coordinate) {
    self.place = place
    step()
  }

  /// Time passes, and everything happens when it is due.
  mutating func pass(_ seconds: Int64) {
    let end = now + seconds
    step()
    while now < end {
      var next = end
      for program in programs {
        if let lookup = program.lookup {
          next = min(next, (lookup.request?.began ?? lookup.began) + Self.deadlineSeconds)
        } else if let waiting = program.waiting {
          let rest = program.policy.secondsUntilDue(at: waiting, now: reading)
          next = min(next, now + Int64(min(rest, 1e9).rounded(.up)))
        }
      }
      now = max(next, now + 1)
      giveUpLate()
      step()
    }
  }

  /// The board sleeps: its clocks go on, and nothing else does.
  mutating func sleep(_ seconds: Int64) {
    now += seconds
    giveUpLate()
    step()
  }

  mutating func setWallClock(offset: Int64?) {
    wallOffset = offset
    oracle.clocksChanged()
    step()
  }

  mutating func restart(_ index: Int) {
    forget(index)
    step()
  }

  /// Of a program nothing is left but the store.
  private mutating func forget(_ index: Int) {
    if let request = programs[index].lookup?.request { oracle.killed(request.name) }
    programs[index] = Program()
    oracle.restarted(index)
    if sabotage == .forgetsLedgers { ledgers = [:] }
    if sabotage == .forgetsReports { reports = [] }
  }

  mutating func reboot(afterSeconds seconds: Int64, offset: Int64?) {
    now += seconds
    (boot, booted, wallOffset) = (boot + 1, now - 20, offset)
    oracle.clocksChanged()
    for index in programs.indices { forget(index) }
    step()
  }

  /// Ends the request of a program, if it has one.
  mutating func end(_ index: Int, _ ending: Ending) {
    guard var lookup = programs[index].lookup, let request = lookup.request else { return }
    lookup.request = nil
    let time = board
    switch ending {
    case .report(let seconds):
      finish(request, .answered, time)
      keep(request, for: lookup.place, expiresInSeconds: seconds, time)
      programs[index].lookup = nil
      answer(index, lookup.place, with: reports[0], isKept: false)
    case .failure(let outcome):
      finish(request, outcome, time)
      (lookup.failure, programs[index].lookup) = (outcome, lookup)
      go(index)
    case .cancelled:
      finish(request, .cancelled, time)
      programs[index].lookup = nil
    }
    step()
  }

  // MARK: What comes of it

  /// Both programs get a fix, and look it up where that is due.
  private mutating func step() {
    for index in programs.indices {
      if hasFix { programs[index].waiting = place }
      if programs[index].lookup != nil {
        go(index)
      } else if let waiting = programs[index].waiting {
        let isDue = programs[index].policy.startIfDue(at: waiting, now: reading)
        oracle.considered(index, at: waiting, isDue: isDue, moment)
        guard isDue else { continue }
        programs[index].waiting = nil
        programs[index].lookup = Lookup(place: waiting, began: now)
        if sabotage == .staysWithTheSecond, let first = rules.providers.first?.name,
          ledgers.values.contains(where: { $0.failures > 0 })
        {
          programs[index].lookup?.passedOver = [first]
        }
        go(index)
      }
    }
  }

  /// What a service does between two requests of a lookup.
  private mutating func go(_ index: Int) {
    guard var lookup = programs[index].lookup, lookup.request == nil else { return }
    let time = board
    if let kept = rules.freshReports(at: lookup.place, of: reports, now: time).first {
      programs[index].lookup = nil
      oracle.told(kept, at: lookup.place, moment)
      answer(index, lookup.place, with: kept, isKept: true)
      return
    }
    let turn = rules.decide(
      at: lookup.place, ledgers: &ledgers, now: time, excluding: lookup.passedOver,
      mayWait: now - lookup.began < Self.deadlineSeconds && sabotage != .asksBesideAnother)
    guard case .decided(let decision, let allowance) = turn else { return }
    oracle.decided(decision, excluding: lookup.asked, moment)
    switch decision {
    case .ask(let name):
      let count = Int.random(in: 1...max(1, min(allowance, 6)), using: &random)
      oracle.asked(
        name, requests: count, for: lookup, beside: programs[1 - index].lookup, moment)
      lookup.passedOver.insert(name)
      lookup.asked.insert(name)
      lookup.request = Request(name: name, began: now, board: time, count: count)
      programs[index].lookup = lookup
    case .wait(let seconds, _):
      programs[index].lookup = nil
      let failure = lookup.failure
      if failure == nil { refuse(index, seconds.rounded(.up)) }
      if case .failed(let seconds?) = failure { refuse(index, seconds) }
    case .never: programs[index].lookup = nil
    }
  }

  /// A stage is told to come again later.
  private mutating func refuse(_ index: Int, _ seconds: Double) {
    oracle.refused(index, seconds, moment)
    programs[index].policy.refused(
      forSeconds: sabotage == .givesUp ? 86_400 : seconds, now: reading)
  }

  private mutating func answer(
    _ index: Int, _ place: Coordinate, with stored: StoredReport, isKept: Bool
  ) {
    oracle.answered(index, at: place, with: stored, isKept: isKept, moment)
    if isKept, sabotage == .driftsWithKeptReports {
      programs[index].policy.recordAnswer(
        for: place, freshForSeconds: stored.freshForSeconds(at: board), now: reading)
      return
    }
    var report = WeatherReport(
      coordinate: stored.coordinate, provider: stored.provider, kind: .forecast)
    if isKept, sabotage != .trustsKeptReports {
      report.freshForSeconds = stored.freshForSeconds(at: board)
    }
    programs[index].policy.recordAnswer(with: report, at: place, now: reading)
  }

  private mutating func finish(
    _ request: Request, _ outcome: ProviderOutcome, _ time: BootTimestamp
  ) {
    rules.finish(
      request.name, outcome, requests: sabotage == .countsOneRequest ? 1 : request.count,
      began: request.board,
      ledgers: &ledgers, now: time, using: &random)
    oracle.ended(request.name, outcome, moment)
    if sabotage == .endsPauses { for name in ledgers.keys { ledgers[name]?.pause = nil } }
  }

  private mutating func keep(
    _ request: Request, for place: Coordinate, expiresInSeconds seconds: Int64?,
    _ time: BootTimestamp
  ) {
    // A provider's clock is right.
    let serverTime = UTCTime(secondsSince1970: Self.firstUTCSeconds + now)
    let expiry = seconds.map { UTCTime(secondsSince1970: serverTime.secondsSince1970 + $0) }
    let cell = rules.cell(at: place)
    let stored = StoredReport(
      cell: StoredReport.name(of: cell), coordinate: cell.coordinate ?? place,
      provider: request.name, receivedAt: time,
      validSeconds: StoredReport.validSeconds(
        until: expiry, receivedAt: time,
        serverTime: sabotage == .goesByItsOwnClockForExpiries ? nil : serverTime,
        jitter: .random(in: 0...0.1, using: &random)),
      validator: nil, body: [])
    reports.removeAll { $0.cell == stored.cell }
    reports.insert(stored, at: 0)
    oracle.stored(stored, saidSeconds: seconds, moment)
  }

  /// Ends the requests that have had no answer by their deadline, before anything else is asked.
  private mutating func giveUpLate() {
    for index in programs.indices {
      guard var lookup = programs[index].lookup, let request = lookup.request,
        now - request.began >= Self.deadlineSeconds
      else { continue }
      finish(request, .failed(retryAfterSeconds: nil), board)
      (lookup.request, lookup.failure) = (nil, .failed(retryAfterSeconds: nil))
      programs[index].lookup = lookup
    }
  }
}
