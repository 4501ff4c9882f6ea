// SPDX-License-Identifier: Apache-2.0

public import Positioning
public import SystemSupport
public import WeatherClient

/// Looks up the weather and keeps to every rule: whom to ask, how often, and what is known already.
///
/// One lookup at a time, by all programs that share a store: whoever comes while one is made for a
/// place nearby waits for what comes of it, no longer than a lookup may take. A cell whose report
/// still stands is answered from the store, without a request; else the first provider that may be
/// asked is, and the next where it fails.
///
/// Several programs may share a store, and the rules hold for all of them together. That takes two
/// small writes for each request: one before it goes out, which counts it, since a program that is
/// killed while the provider is silent must not have asked in secret; and one with what came of it.
public actor WeatherService {
  /// A provider and how often it may be asked.
  public struct Source: Sendable {
    let provider: any WeatherProvider
    let dailyBudget: Int

    /// The URL that the provider's paths are appended to, without a slash behind.
    public var baseURL: String { provider.baseURL }

    /// The provider's name, as it is configured and reported by.
    public var name: String { type(of: provider).name }

    /// What an error names it by: the host, with the port where one is written.
    public var host: String {
      let afterScheme = baseURL.firstRange(of: "://").map { baseURL[$0.upperBound...] }
      return String((afterScheme ?? baseURL[...]).prefix { $0 != "/" })
    }

    /// Whether it may be asked at all.
    public var hasBudget: Bool { dailyBudget > 0 }

    /// Makes a source.
    ///
    /// - Parameters:
    ///   - provider: Who is asked.
    ///   - dailyBudget: How many requests any 24 hours may see.
    public init(_ provider: any WeatherProvider, dailyBudget: Int = 500) {
      self.provider = provider
      self.dailyBudget = dailyBudget
    }
  }

  private let sources: [String: Source]
  private let lookup: WeatherLookup
  private let archive: WeatherArchive
  private let now: @Sendable () -> BootTimestamp
  private let notice: @Sendable (String) -> Void
  private let clock: any Clock<Duration>
  private let rules: LookupRules
  private var generator: any RandomNumberGenerator
  private var isBusy = false
  private var waiting: [(number: UInt64, continuation: CheckedContinuation<Bool, Never>)] = []
  private var waiterCount: UInt64 = 0

  /// How far a report holds: beyond 5 km there is a new lookup.
  public static let reachMeters: Double = LookupRules.reachMeters
  /// How many lookups may wait for the one that is made.
  static let waitingLimit = 16
  /// What lies between two looks at whether another program has its answer: a store has no other
  /// way to tell.
  static let pause: Duration = .milliseconds(250)
  /// For how long the forecast of a report reaches at least.
  static let forecastSeconds: Int64 = 3 * 86_400

  /// Makes a service.
  ///
  /// - Parameters:
  ///   - sources: Whom to ask, in the order in which they are preferred; of two by one name the
  ///     first.
  ///   - storePath: Where reports and budgets are kept; `nil` for in memory only.
  ///   - lookup: How providers are asked.
  ///   - now: The present moment.
  ///   - clock: What waits for the lookup of another program.
  ///   - generator: What jitter is drawn from.
  ///   - notice: Takes what a person should know, a sentence at a time.
  public init(
    sources: [Source], storePath: String?, lookup: WeatherLookup = WeatherLookup(),
    now: @escaping @Sendable () -> BootTimestamp = BootTimestamp.now,
    clock: any Clock<Duration> = ContinuousClock(),
    generator: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator(),
    notice: @escaping @Sendable (String) -> Void = { _ in }
  ) {
    var byName: [String: Source] = [:]
    var rules: [ProviderRules] = []
    for source in sources where byName[type(of: source.provider).name] == nil {
      let name = type(of: source.provider).name
      byName[name] = source
      rules.append(
        ProviderRules(
          name: name, dailyBudget: source.dailyBudget,
          configuration: source.provider.configuration.fingerprint,
          site: source.provider.site, requestsPerLookup: source.provider.maxRequests))
    }
    self.sources = byName
    self.rules = LookupRules(
      providers: rules,
      decimals: byName.values.map {
        min($0.provider.configuration.gridDecimals, type(of: $0.provider).maxGridDecimals)
      }.min() ?? WeatherCell.standardDecimals,
      deadlineSeconds: lookup.deadline / .seconds(1))
    self.lookup = lookup
    self.clock = clock
    self.now = now
    self.notice = notice
    self.generator = generator
    archive = WeatherArchive(path: storePath)
  }

  /// Looks up the weather.
  ///
  /// - Parameter coordinate: Where; it leaves the board as a cell of the grid only.
  /// - Returns: The report; its `receivedAt` is not set. One from the store says how long it stands.
  /// - Throws: `notDue` where nobody may be asked yet, with how long; `notAsked` where nobody ever
  ///   may; else what the provider asked last failed with, with its name.
  public func weather(at coordinate: Coordinate) async throws(WeatherError) -> WeatherReport {
    try await lookUp(coordinate, .nearby)
  }

  /// Looks up the weather at the middle of a cell of reduced accuracy.
  ///
  /// A report for any other point would tell where the board is or was, so there is a request for
  /// the middle itself. Its report serves for the quarter of an hour that it came in, or until the
  /// provider says that it expires: a later one would tell since when the board has been there.
  ///
  /// - Parameter middle: The middle of the cell; it leaves the board as a cell of the finer grid.
  /// - Returns: The report; its `receivedAt` is not set.
  /// - Throws: The same as ``weather(at:)``.
  public func weather(
    atMiddleOfCell middle: Coordinate
  ) async throws(WeatherError) -> WeatherReport {
    try await lookUp(middle, .middleOfCell)
  }

  private func lookUp(
    _ coordinate: Coordinate, _ scope: LookupScope
  ) async throws(WeatherError) -> WeatherReport {
    try await enter()
    defer { leave() }
    if Task.isCancelled { throw .cancelled }
    tellNotices()
    if let report = answer(at: coordinate, scope) { return report }
    return try await ask(at: coordinate, scope)
  }

  /// The stored report that answers a lookup; `nil` where a provider has to be asked.
  private func answer(at coordinate: Coordinate, _ scope: LookupScope) -> WeatherReport? {
    switch scope {
    case .nearby: standingReport(near: coordinate)
    case .middleOfCell: servingReport(atMiddleOfCell: coordinate)
    }
  }

  /// The report that is stored for the middle of a cell of reduced accuracy, however old.
  ///
  /// - Parameter middle: The middle of the cell.
  /// - Returns: The report and when it came, as the wall clock had it then; `nil` where there is
  ///   none for exactly that point.
  public func storedReport(
    atMiddleOfCell middle: Coordinate
  ) -> (report: WeatherReport, receivedAt: UTCTime)? {
    guard let stored = record(forMiddleOfCell: middle), let report = stored.report else {
      return nil
    }
    return (report, UTCTime(secondsSince1970: stored.receivedAt.utcSeconds))
  }

  private func record(forMiddleOfCell middle: Coordinate) -> StoredReport? {
    archive.report(for: LookupScope.middleOfCell.cell(at: middle, rules))
      .flatMap { rules.isOfProvider($0) ? $0 : nil }
  }

  private func servingReport(atMiddleOfCell middle: Coordinate) -> WeatherReport? {
    let now = now()
    guard let stored = record(forMiddleOfCell: middle), stored.stands(at: now),
      let report = stored.report
    else { return nil }
    let receivedAt = UTCTime(secondsSince1970: stored.receivedAt.utcSeconds)
    let isOfThisQuarter =
      receivedAt.beginningOfQuarter
      == UTCTime(secondsSince1970: now.utcSeconds).beginningOfQuarter
    return isOfThisQuarter || report.expiresAt != nil ? report : nil
  }

  /// The report that a lookup would be answered with without asking anybody.
  ///
  /// - Parameter coordinate: Where.
  /// - Returns: The report, with how long it stands; `nil` where a provider would be asked.
  public func keptReport(at coordinate: Coordinate) -> WeatherReport? {
    defer { tellNotices() }
    return standingReport(near: coordinate)
  }

  /// The best report that is stored for places nearby, whoever made it.
  ///
  /// The one that a lookup would be answered with, where one stands; else the newest within
  /// ``reachMeters``, and of one hour the nearest; else the nearest. None of those is older than
  /// three days, `forecastSeconds`, as their forecast is not over; else the newest of all.
  ///
  /// - Parameters:
  ///   - coordinate: Where.
  ///   - meters: How far away its place may be.
  /// - Returns: The report and when it came, as the wall clock had it then; `nil` where there is
  ///   none.
  public func storedReport(
    near coordinate: Coordinate, withinMeters meters: Double
  ) -> (report: WeatherReport, receivedAt: UTCTime)? {
    let now = now()
    let preferred = headings(near: coordinate, withinMeters: meters).preferred(
      at: now, withinMeters: Self.reachMeters, lifetimeSeconds: Self.forecastSeconds
    ) { $0.stands(at: now) && rules.isOfProvider($0) }
    return firstReport(of: preferred).map {
      ($0.report, UTCTime(secondsSince1970: $0.receivedAt.utcSeconds))
    }
  }

  /// The nearest of the stored reports that still stand for a place.
  private func standingReport(near coordinate: Coordinate) -> WeatherReport? {
    let now = now()
    let box = CoordinateBox(around: coordinate, meters: rules.searchMeters)
    for heading in rules.standing(at: coordinate, of: archive.headings(in: box), now: now) {
      guard var report = firstReport(of: [heading])?.report else { continue }
      report.standsSeconds = heading.standsSeconds(at: now)
      report.keptSeconds = now.plausibleSeconds(since: heading.receivedAt).map(Double.init)
      return report
    }
    return nil
  }

  /// The first of some reports that can be read.
  private func firstReport(
    of headings: [StoredReport]
  ) -> (report: WeatherReport, receivedAt: BootTimestamp)? {
    for heading in headings {
      guard let stored = archive.report(named: heading.cell), let report = stored.report else {
        continue
      }
      return (report, stored.receivedAt)
    }
    return nil
  }

  /// The reports for places nearby, the nearest first and of two alike the newer, without bodies.
  private func headings(
    near coordinate: Coordinate, withinMeters meters: Double
  ) -> [NearbyReport] {
    archive.headings(in: CoordinateBox(around: coordinate, meters: meters))
      .map { NearbyReport(stored: $0, meters: $0.coordinate.distanceMeters(to: coordinate)) }
      .filter { $0.meters <= meters }
      .sorted { $0.meters < $1.meters }
  }

  /// Lets one lookup in at a time, in the order in which they came.
  private func enter() async throws(WeatherError) {
    guard isBusy else {
      isBusy = true
      return
    }
    guard waiting.count < Self.waitingLimit else {
      throw .notDue(afterSeconds: 60, reason: "too many lookups wait already")
    }
    waiterCount &+= 1
    let number = waiterCount
    let isIn = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        if Task.isCancelled {
          continuation.resume(returning: false)
        } else {
          waiting.append((number, continuation))
        }
      }
    } onCancel: {
      Task { await self.giveUp(number) }
    }
    if !isIn { throw .cancelled }
  }

  /// Sends a waiter away whose task was cancelled; one that is in already ends by itself.
  private func giveUp(_ number: UInt64) {
    guard let index = waiting.firstIndex(where: { $0.number == number }) else { return }
    waiting.remove(at: index).continuation.resume(returning: false)
  }

  private func leave() {
    if waiting.isEmpty {
      isBusy = false
    } else {
      waiting.removeFirst().continuation.resume(returning: true)
    }
  }

  private enum Turn {
    /// Another program has stored a report in the meantime.
    case told(WeatherReport)
    case new(LookupRules.Turn, at: BootTimestamp)
  }

  /// Decides whom to ask and counts the request, in one transaction of the store.
  private func reserve(
    at coordinate: Coordinate, _ scope: LookupScope, passingOver passedOver: Set<String>,
    mayWait: Bool
  ) -> Turn {
    archive.update { ledgers in
      if let report = answer(at: coordinate, scope) { return .told(report) }
      let now = now()
      let turn = rules.turn(
        at: coordinate, ledgers: &ledgers, now: now, passingOver: passedOver, mayWait: mayWait,
        scope: scope)
      return .new(turn, at: now)
    }
  }

  private func ask(
    at coordinate: Coordinate, _ scope: LookupScope
  ) async throws(WeatherError) -> WeatherReport {
    let cell = scope.cell(at: coordinate, rules)
    var passedOver: Set<String> = []
    var failure: WeatherError?
    // No longer than a lookup of our own might take.
    var pauses = Int(lookup.deadline / Self.pause)
    while true {
      let name: String
      let allowance: Int
      let began: BootTimestamp
      switch reserve(at: coordinate, scope, passingOver: passedOver, mayWait: pauses > 0) {
      case .told(let report): return report
      case .new(.awaited, _):
        pauses -= 1
        guard (try? await clock.sleep(for: Self.pause)) != nil else { throw .cancelled }
        continue
      case .new(.decided(.ask(let asked), let most), let at):
        (name, allowance, began) = (asked, most, at)
      case .new(.decided(.wait(let seconds, let reason), _), _):
        throw failure
          ?? .notDue(afterSeconds: Int(exactly: seconds.rounded(.up)) ?? 86_400, reason: reason)
      case .new(.decided(.never(let reason), _), _): throw failure ?? .notAsked(reason: reason)
      }
      passedOver.insert(name)
      guard let source = sources[name] else { continue }
      let held = archive.report(for: cell)
      // What one server says of its reports is nothing to ask another with.
      let stored = held.flatMap {
        $0.provider == name && $0.site == source.provider.site ? $0 : nil
      }
      let result = await lookup.ask(
        source.provider, at: coordinate, validator: stored?.validator, allowance: allowance)
      do {
        return try take(result, from: source.provider, for: cell, scope, stored, began: began)
      } catch {
        if error == .cancelled { throw error }
        failure = .of(provider: name, host: source.host, error)
      }
    }
  }

  /// Takes note of what became of a request, in its ledger and with its report.
  private func take(
    _ result: WeatherLookupResult, from provider: any WeatherProvider, for cell: WeatherCell,
    _ scope: LookupScope, _ stored: StoredReport?, began: BootTimestamp
  ) throws(WeatherError) -> WeatherReport {
    let now = now()
    let name = type(of: provider).name
    if result.isDeprecated { notice("\(name) says that this version of it is about to end") }
    let outcome: Result<WeatherReport, WeatherError>
    switch result.outcome {
    case .report(let report): outcome = .success(report)
    case .notModified(let expiresAt):
      if var report = stored?.report {
        report.expiresAt = expiresAt ?? report.expiresAt
        outcome = .success(report)
      } else {
        outcome = .failure(.malformed(field: "status", reason: "304 for nothing"))
      }
    case .failure(let error): outcome = .failure(error)
    }
    var record: StoredReport?
    if case .success(let report) = outcome {
      record = StoredReport(
        report, for: cell, receivedAt: now, serverTime: result.serverTime,
        validator: result.validator ?? stored?.validator, site: provider.site,
        jitter: .random(in: 0...0.1, using: &generator))
    }
    archive.update(storing: record) { ledgers in
      rules.finish(
        name, ProviderOutcome(outcome, of: type(of: provider)), requests: result.requestCount,
        began: began, scope: scope, ledgers: &ledgers, now: now, using: &generator)
    }
    tellNotices()
    return try outcome.get()
  }

  private func tellNotices() {
    for text in archive.takeNotices() { notice(text) }
  }
}
