// SPDX-License-Identifier: Apache-2.0

public import Positioning
public import SystemSupport
public import WeatherClient

/// Looks up the weather with provider fallback, request limits and a persistent cache.
///
/// A fresh stored report is returned without a request. Otherwise the service contacts the first
/// provider whose request limits allow a lookup. If that provider fails, the service contacts the
/// next provider. Lookups run one at a time. While another program that shares the store runs a
/// lookup nearby, the service waits for that report, up to the maximum duration of a lookup.
///
/// The limits apply to all programs that share a store. Each lookup writes to the store twice:
/// before the request, so that a crash cannot evade the daily limit, and with the result.
public actor WeatherService {
  /// A provider and its daily request limit.
  public struct Source: Sendable {
    let provider: any WeatherProvider
    let dailyBudget: Int

    /// The URL to which request paths are appended, without a trailing slash.
    public var baseURL: String { provider.baseURL }

    /// The provider's name in the configuration and in reports.
    public var name: String { type(of: provider).name }

    /// The host of the base URL for error messages, with the port if the URL contains one.
    public var host: String {
      let afterScheme = baseURL.firstRange(of: "://").map { baseURL[$0.upperBound...] }
      return String((afterScheme ?? baseURL[...]).prefix { $0 != "/" })
    }

    /// Whether the daily limit allows any request.
    public var hasBudget: Bool { dailyBudget > 0 }

    /// Creates a source with a maximum number of requests in any 24 hours; 0 disables the source.
    public init(_ provider: any WeatherProvider, dailyBudget: Int = 500) {
      self.provider = provider
      self.dailyBudget = dailyBudget
    }
  }

  private let sources: [String: Source]
  private let lookup: WeatherLookup
  let archive: WeatherArchive
  let now: @Sendable () -> BootTimestamp
  private let notice: @Sendable (String) -> Void
  private let clock: any Clock<Duration>
  private let conditions: @Sendable () -> LookupConditions
  let rules: LookupRules
  private var generator: any RandomNumberGenerator
  private var isBusy = false
  private var waiting: [(number: UInt64, continuation: CheckedContinuation<Bool, Never>)] = []
  private var waiterCount: UInt64 = 0

  /// The maximum distance from a coordinate at which a stored report is reused: 5 km.
  public static let reachMeters: Double = LookupRules.reachMeters
  /// The maximum number of lookups that wait for a running lookup; further ones throw `notDue`.
  static let waitingLimit = 16
  /// The interval at which the store is polled for the result of another program's lookup.
  static let pause: Duration = .milliseconds(250)
  /// The minimum length of the forecast in a report, in seconds.
  static let forecastSeconds: Int64 = 3 * 86_400

  /// Creates a service.
  ///
  /// - Parameters:
  ///   - sources: The providers in order of preference. A provider is ignored if an earlier one has
  ///     the same name.
  ///   - storePath: The path of the SQLite file for reports and request counts, or `nil` to keep
  ///     them in memory.
  ///   - lookup: Sends the requests.
  ///   - now: Returns the current time.
  ///   - clock: The clock for waiting on another program's lookup.
  ///   - conditions: Reads the conditions; a change ends the back-off of a failed connection.
  ///   - generator: The source of random jitter.
  ///   - notice: Called with each message for the log, such as a failure of the store.
  public init(
    sources: [Source], storePath: String?, lookup: WeatherLookup = WeatherLookup(),
    now: @escaping @Sendable () -> BootTimestamp = BootTimestamp.now,
    clock: any Clock<Duration> = ContinuousClock(),
    conditions: @escaping @Sendable () -> LookupConditions = { .present() },
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
    self.conditions = conditions
    self.generator = generator
    archive = WeatherArchive(path: storePath)
  }

  /// Looks up the weather.
  ///
  /// - Parameters:
  ///   - coordinate: The coordinate. Only its grid cell is sent over the network.
  ///   - isTyped: Whether a person typed the place, for which there is a limit of its own.
  /// - Returns: The report without `receivedAt`. A report from the store has `freshForSeconds`.
  /// - Throws: `notDue` with the remaining seconds if no provider may be contacted yet;
  ///   `noUsableProvider` if the configuration allows none; otherwise the error of the provider
  ///   contacted last, with the provider's name.
  public func weather(
    at coordinate: Coordinate, isTyped: Bool = false
  ) async throws(WeatherError) -> WeatherReport {
    try await lookUp(coordinate, isTyped ? .typed : .nearby)
  }

  /// Looks up the weather at the centre of a reduced-accuracy cell.
  ///
  /// The lookup never reuses a report for another point, which would reveal where the board is or
  /// was. A stored report for the centre is reused until its expiry, or until the end of the
  /// current quarter-hour if the provider sent no expiry. Any other lifetime would reveal when the
  /// board entered the cell.
  ///
  /// - Parameter middle: The centre of the cell. The corresponding cell of the finest grid is sent
  ///   over the network.
  /// - Returns: The report; its `receivedAt` is `nil`.
  /// - Throws: The same errors as ``weather(at:isTyped:)``.
  public func weather(
    atCentreOfCell middle: Coordinate
  ) async throws(WeatherError) -> WeatherReport {
    try await lookUp(middle, .centreOfCell)
  }

  private func lookUp(
    _ coordinate: Coordinate, _ scope: LookupScope
  ) async throws(WeatherError) -> WeatherReport {
    try await enter()
    defer { leave() }
    if Task.isCancelled { throw .cancelled }
    deliverNotices()
    if let report = freshReport(at: coordinate, scope) { return report }
    return try await contactProviders(at: coordinate, scope)
  }

  /// Returns the stored report to use for a lookup, or `nil` if a provider must be contacted.
  private func freshReport(at coordinate: Coordinate, _ scope: LookupScope) -> WeatherReport? {
    scope == .centreOfCell
      ? freshReport(atCentreOfCell: coordinate) : freshReport(near: coordinate)
  }

  /// Returns the stored report for the centre of a reduced-accuracy cell, of any age.
  ///
  /// - Returns: The report and the wall-clock time of its arrival, or `nil` if the store has no
  ///   report for exactly this point.
  public func storedReport(
    atCentreOfCell middle: Coordinate
  ) -> (report: WeatherReport, receivedAt: UTCTime)? {
    guard let stored = storedRecord(forCentreOfCell: middle), let report = stored.report else {
      return nil
    }
    return (report, UTCTime(secondsSince1970: stored.receivedAt.utcSeconds))
  }

  private func storedRecord(forCentreOfCell middle: Coordinate) -> StoredReport? {
    archive.report(for: LookupScope.centreOfCell.cell(at: middle, rules))
      .flatMap { rules.isFromConfiguredProvider($0) ? $0 : nil }
  }

  private func freshReport(atCentreOfCell middle: Coordinate) -> WeatherReport? {
    let now = now()
    guard let stored = storedRecord(forCentreOfCell: middle), stored.isFresh(at: now),
      let report = stored.report
    else { return nil }
    let receivedAt = UTCTime(secondsSince1970: stored.receivedAt.utcSeconds)
    let quarterHour = UTCTime(secondsSince1970: now.utcSeconds).startOfQuarterHour
    let isRecent = receivedAt.startOfQuarterHour == quarterHour
    return isRecent || report.expiresAt != nil ? report : nil
  }

  /// Returns the fresh stored report for a coordinate without contacting a provider.
  ///
  /// - Returns: The report with `freshForSeconds` set, or `nil` if a lookup would contact a
  ///   provider.
  public func cachedReport(at coordinate: Coordinate) -> WeatherReport? {
    defer { deliverNotices() }
    return freshReport(near: coordinate)
  }

  /// Returns the best stored report near a coordinate, of any provider and any age.
  ///
  /// Order of preference:
  /// 1. a fresh report that a lookup would return;
  /// 2. the nearest of the newest report within ``reachMeters`` and those less than an hour older;
  /// 3. the newest of the older reports within ``reachMeters``;
  /// 4. the nearest report beyond ``reachMeters``;
  /// 5. the newest report.
  ///
  /// In 2 to 4, only reports of the last three days are used, whose forecasts have not ended.
  ///
  /// - Returns: The report and the wall-clock time of its arrival, or `nil` without a report.
  public func storedReport(
    near coordinate: Coordinate, withinMeters meters: Double
  ) -> (report: WeatherReport, receivedAt: UTCTime)? {
    let now = now()
    let preferred = summaries(near: coordinate, withinMeters: meters).preferred(
      at: now, withinMeters: Self.reachMeters, lifetimeSeconds: Self.forecastSeconds
    ) { $0.isFresh(at: now) && rules.isFromConfiguredProvider($0) }
    return firstReport(of: preferred).map {
      ($0.report, UTCTime(secondsSince1970: $0.receivedAt.utcSeconds))
    }
  }

  /// Returns the nearest fresh report in the store.
  private func freshReport(near coordinate: Coordinate) -> WeatherReport? {
    let now = now()
    let box = CoordinateBox(around: coordinate, meters: rules.searchMeters)
    for summary in rules.freshReports(at: coordinate, of: archive.summaries(in: box), now: now) {
      guard var report = firstReport(of: [summary])?.report else { continue }
      report.freshForSeconds = summary.freshForSeconds(at: now)
      report.cachedForSeconds = now.plausibleSeconds(since: summary.receivedAt).map(Double.init)
      return report
    }
    return nil
  }

  /// Loads the first report whose body can be decoded.
  private func firstReport(
    of summaries: [StoredReport]
  ) -> (report: WeatherReport, receivedAt: BootTimestamp)? {
    for summary in summaries {
      let stored = archive.report(named: summary.cell)
      if let stored, let report = stored.report { return (report, stored.receivedAt) }
    }
    return nil
  }

  /// Returns the reports within a distance, without their bodies, the nearest first.
  private func summaries(
    near coordinate: Coordinate, withinMeters meters: Double
  ) -> [NearbyReport] {
    archive.summaries(in: CoordinateBox(around: coordinate, meters: meters))
      .map { NearbyReport(stored: $0, meters: $0.coordinate.distanceMeters(to: coordinate)) }
      .filter { $0.meters <= meters }
      .sorted { $0.meters < $1.meters }
  }

  /// Waits until all earlier lookups have ended; lookups run in the order of their calls.
  private func enter() async throws(WeatherError) {
    guard isBusy else {
      isBusy = true
      return
    }
    guard waiting.count < Self.waitingLimit else {
      throw .notDue(afterSeconds: 60, reason: "too many lookups are already waiting")
    }
    waiterCount &+= 1
    let number = waiterCount
    let isAdmitted = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        if Task.isCancelled {
          continuation.resume(returning: false)
        } else {
          waiting.append((number, continuation))
        }
      }
    } onCancel: {
      Task { await self.cancelWaiting(number) }
    }
    if !isAdmitted { throw .cancelled }
  }

  /// Resumes a waiting lookup whose task was cancelled, so that the lookup throws `cancelled`.
  private func cancelWaiting(_ number: UInt64) {
    guard let index = waiting.firstIndex(where: { $0.number == number }) else { return }
    waiting.remove(at: index).continuation.resume(returning: false)
  }

  private func leave() {
    isBusy = !waiting.isEmpty
    if isBusy { waiting.removeFirst().continuation.resume(returning: true) }
  }

  private enum Reservation {
    /// Another program has stored a usable report in the meantime.
    case alreadyStored(WeatherReport)
    case new(LookupRules.Decision, at: BootTimestamp)
  }

  /// Selects a provider and counts the request, in one transaction of the store.
  private func reserve(
    at coordinate: Coordinate, _ scope: LookupScope, excluding excluded: Set<String>,
    mayWait: Bool
  ) -> Reservation {
    archive.update { ledgers in
      if let report = freshReport(at: coordinate, scope) { return .alreadyStored(report) }
      let now = now()
      let decision = rules.decide(
        at: coordinate, ledgers: &ledgers, now: now, excluding: excluded, mayWait: mayWait,
        scope: scope, conditions: conditions(), using: &generator)
      return .new(decision, at: now)
    }
  }

  private func contactProviders(
    at coordinate: Coordinate, _ scope: LookupScope
  ) async throws(WeatherError) -> WeatherReport {
    let cell = scope.cell(at: coordinate, rules)
    var excluded: Set<String> = []
    var failure: WeatherError?
    // The total duration of this number of pauses is the maximum duration of a lookup.
    var pauses = Int(lookup.deadline / Self.pause)
    while true {
      let name: String
      let allowance: Int
      let began: BootTimestamp
      switch reserve(at: coordinate, scope, excluding: excluded, mayWait: pauses > 0) {
      case .alreadyStored(let report): return report
      case .new(.awaited, _):
        pauses -= 1
        guard (try? await clock.sleep(for: Self.pause)) != nil else { throw .cancelled }
        continue
      case .new(.decided(.ask(let selected), let limit), let at):
        (name, allowance, began) = (selected, limit, at)
      case .new(.decided(.wait(let seconds, let reason), _), _):
        throw failure
          ?? .notDue(afterSeconds: Int(exactly: seconds.rounded(.up)) ?? 86_400, reason: reason)
      case .new(.decided(.never(let reason), _), _):
        throw failure ?? .noUsableProvider(reason: reason)
      }
      excluded.insert(name)
      guard let source = sources[name] else { continue }
      let previous = archive.report(for: cell)
      // Send the validator only to the server that issued it.
      let stored = previous.flatMap {
        $0.provider == name && $0.site == source.provider.site ? $0 : nil
      }
      let result = await lookup.ask(
        source.provider, at: coordinate, validator: stored?.validator, allowance: allowance)
      do {
        return try record(result, from: source.provider, for: cell, scope, stored, began: began)
      } catch {
        if error == .cancelled { throw error }
        failure = .of(provider: name, host: source.host, error)
      }
    }
  }

  /// Stores the result of a lookup: the report, and the provider's request counts and pauses.
  private func record(
    _ result: WeatherLookupResult, from provider: any WeatherProvider, for cell: WeatherCell,
    _ scope: LookupScope, _ stored: StoredReport?, began: BootTimestamp
  ) throws(WeatherError) -> WeatherReport {
    let now = now()
    let name = type(of: provider).name
    if result.isDeprecated { notice("\(name) reports that its API version is deprecated") }
    let outcome: Result<WeatherReport, WeatherError>
    switch result.outcome {
    case .report(let report): outcome = .success(report)
    case .notModified(let expiresAt):
      if var report = stored?.report {
        report.expiresAt = expiresAt ?? report.expiresAt
        outcome = .success(report)
      } else {
        outcome = .failure(.malformed(field: "status", reason: "304 without a stored report"))
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
        began: began, scope: scope, ledgers: &ledgers, now: now, conditions: conditions(),
        using: &generator)
    }
    deliverNotices()
    return try outcome.get()
  }

  func deliverNotices() {
    for text in archive.takeNotices() { notice(text) }
  }
}
