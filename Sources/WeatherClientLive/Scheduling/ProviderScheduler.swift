// SPDX-License-Identifier: Apache-2.0

internal import Positioning
internal import SystemSupport

/// Selects the provider for the next lookup and enforces the request limits.
///
/// The scheduler selects the most preferred provider whose limits allow a lookup. A provider that
/// failed is skipped until its back-off ends.
///
/// The scheduler guarantees the following, even if the wall clock jumps:
/// - The board's lookups at one provider are at least 60 seconds apart. A lookup may need several
///   requests.
/// - In any 60 seconds, one provider gets at most five lookups of places that a person typed.
/// - No provider receives more requests than its daily limit in any 24 hours of one boot.
/// - No provider is contacted before the end of a pause that it requested.
struct ProviderScheduler: Equatable, Sendable {
  /// The minimum interval between two lookups at one provider.
  static let minimumIntervalSeconds: Double = 60
  /// The maximum number of lookups of typed places at one provider in `minimumIntervalSeconds`.
  static let typedLookupLimit = 5
  /// The back-off in seconds after the first failure, without jitter.
  static let firstBackOffSeconds: Double = 60
  /// The maximum back-off in seconds.
  static let longestBackOffSeconds: Double = 3600
  /// The maximum back-off in seconds while another server answers, such as a captive portal.
  ///
  /// A login on another device ends the interception without any change on this board.
  static let longestInterceptionBackOffSeconds: Double = 600
  /// The maximum delay in seconds after a change of the conditions, which spreads the lookups of many
  /// boards.
  static let longestChangeDelaySeconds: Double = 30
  /// The maximum pause in seconds that a provider can request with `Retry-After`.
  static let longestPauseSeconds: Double = 86_400

  enum Decision: Equatable, Sendable {
    /// Contact the provider with this name. The requests of the lookup are already counted.
    case ask(String)
    /// No provider may be contacted for this number of seconds.
    case wait(seconds: Double, reason: String)
    /// No provider can be used with this configuration.
    case never(reason: String)
  }

  private(set) var ledgers: [String: ProviderUsage]
  private let rules: [ProviderRules]
  private let scope: LookupScope

  /// Creates a scheduler.
  ///
  /// - Parameters:
  ///   - rules: The providers in order of preference.
  ///   - ledgers: The stored usage by ledger name.
  ///   - scope: The kind of lookup. The daily limit and the pauses that a provider requested apply
  ///     to all kinds together. Back-off and refusals are separate for lookups for the centre of a
  ///     cell, so that these do not reveal the locations of other lookups.
  init(
    _ rules: [ProviderRules], ledgers: [String: ProviderUsage] = [:],
    scope: LookupScope = .nearby
  ) {
    self.rules = rules
    self.scope = scope
    // Keep the usage of removed providers: adding a provider again must not reset its daily limit.
    self.ledgers = ledgers
  }

  private func pauseLedgerName(of rule: ProviderRules) -> String {
    scope == .centreOfCell ? rule.ledgerName + " (middle)" : rule.ledgerName
  }

  /// Selects a provider and counts the requests of its lookup.
  mutating func next(now: BootTimestamp, excluding excluded: Set<String> = []) -> Decision {
    var soonest: (seconds: Double, reason: String)?
    var refusals: [String] = []
    for rule in rules where !excluded.contains(rule.name) {
      var ledger = ledgers[rule.ledgerName] ?? ProviderUsage(at: now)
      ledger.rebase(to: now)
      var effective = ledger
      if scope == .centreOfCell {
        let scopeLedger = ledgers[pauseLedgerName(of: rule)]
        if ledger.pause?.isRequested != true { effective.pause = scopeLedger?.pause }
        effective.refusedConfiguration = scopeLedger?.refusedConfiguration
      }
      switch obstacle(to: effective, by: rule, now: now) {
      case nil:
        for _ in 0..<ledger.reservedRequests(for: rule) { ledger.window.count(at: now) }
        switch scope {
        case .nearby: ledger.lastRequest = now
        case .typed:
          ledger.typedLookups = ((ledger.typedLookups ?? []) + [now]).suffix(Self.typedLookupLimit)
        case .centreOfCell: break
        }
        if scope != .centreOfCell {
          ledger.pause = nil
          ledger.refusedConfiguration = nil
        }
        ledgers[rule.ledgerName] = ledger
        return .ask(rule.name)
      case .refused(let reason): refusals.append(reason)
      case .wait(let seconds, let reason):
        if seconds < soonest?.seconds ?? .infinity { soonest = (seconds, reason) }
      }
      ledgers[rule.ledgerName] = ledger
    }
    if let soonest { return .wait(seconds: soonest.seconds, reason: soonest.reason) }
    return .never(
      reason: refusals.isEmpty ? "no provider left to try" : refusals.joined(separator: "; "))
  }

  /// Returns the maximum number of requests for the lookup that `next` just permitted.
  ///
  /// The maximum is the number of reserved requests plus the remaining requests of the day.
  func allowance(of name: String) -> Int {
    guard let rule = rules.first(where: { $0.name == name }),
      let ledger = ledgers[rule.ledgerName]
    else { return 0 }
    return max(0, rule.dailyBudget - ledger.window.total) + ledger.reservedRequests(for: rule)
  }

  /// Whether a lookup near a coordinate is in progress at any provider.
  func isLookingUp(near coordinate: Coordinate, withinMeters meters: Double, now: BootTimestamp)
    -> Bool
  {
    rules.contains {
      ledgers[$0.ledgerName]?.isLookingUp(near: coordinate, withinMeters: meters, now: now) == true
    }
  }

  /// Records that a lookup is in progress, until `recordRequests` is called for the same lookup.
  mutating func recordStart(
    _ name: String, at coordinate: Coordinate, now: BootTimestamp, seconds: Double
  ) {
    guard let rule = rules.first(where: { $0.name == name }) else { return }
    ledgers[rule.ledgerName]?.asking = ProviderUsage.Asking(
      coordinate: coordinate, began: now, seconds: seconds)
  }

  private enum Obstacle {
    case refused(String)
    case wait(seconds: Double, reason: String)
  }

  private func obstacle(
    to ledger: ProviderUsage, by rule: ProviderRules, now: BootTimestamp
  ) -> Obstacle? {
    if ledger.refusedConfiguration == rule.configuration {
      return .refused(
        "\(rule.name) refused this configuration; change its contact, key or URL to retry")
    }
    if rule.dailyBudget <= 0 { return .refused("\(rule.name) has a daily limit of 0 requests") }
    let requests = ledger.reservedRequests(for: rule)
    if rule.dailyBudget < requests {
      return .refused(
        "\(rule.name) needs \(requests) requests per lookup, but its daily limit is "
          + "\(rule.dailyBudget)")
    }
    if let pause = ledger.pause, pause.configuration ?? rule.configuration == rule.configuration {
      let wait = ProviderUsage.remaining(
        of: min(pause.seconds, Self.longestPauseSeconds), since: pause.began, now: now)
      if wait > 0 {
        return .wait(
          seconds: wait,
          reason: "\(rule.name) \(pause.reason ?? "failed and is retried after a back-off")")
      }
    }
    // Places that a person types leave half of the requests to the board.
    let budget = scope == .typed ? max((rule.dailyBudget + 1) / 2, requests) : rule.dailyBudget
    if ledger.window.total + requests > budget {
      return .wait(
        seconds: 3600, reason: "daily limit of \(budget) requests reached for \(rule.name)")
    }
    let (last, reason): (BootTimestamp?, String) =
      switch scope {
      case .nearby: (ledger.lastRequest, "was contacted less than a minute ago")
      case .typed:
        (
          ledger.typedLookups?.dropLast(Self.typedLookupLimit - 1).last,
          "gets at most \(Self.typedLookupLimit) lookups of places a minute"
        )
      case .centreOfCell: (nil, "")
      }
    guard let last else { return nil }
    let wait = ProviderUsage.remaining(of: Self.minimumIntervalSeconds, since: last, now: now)
    return wait > 0 ? .wait(seconds: wait, reason: "\(rule.name) \(reason)") : nil
  }

  /// Replaces the reserved requests of a lookup by the number of requests that were sent.
  ///
  /// Later lookups reserve the highest number of requests so far, so that no lookup exceeds the
  /// daily limit.
  mutating func recordRequests(
    _ requests: Int, to name: String, began: BootTimestamp? = nil, now: BootTimestamp
  ) {
    guard let rule = rules.first(where: { $0.name == name }),
      var ledger = ledgers[rule.ledgerName]
    else { return }
    if began == nil || ledger.asking?.began == began { ledger.asking = nil }
    // Count at least one request, since the number for a cancelled lookup may be too low.
    let sent = min(max(1, requests), 100)
    let reserved = ledger.reservedRequests(for: rule)
    let unreserved = sent - reserved
    if unreserved < 0 { ledger.window.subtract(-unreserved) }
    for _ in 0..<max(0, unreserved) { ledger.window.count(at: now) }
    ledger.maxRequests = max(reserved, min(sent, WeatherLookup.maxRequests))
    ledgers[rule.ledgerName] = ledger
  }

  /// Shortens each back-off after a failed connection if the conditions have changed since.
  ///
  /// A short random delay replaces the back-off. Further changes do not extend the delay. The number
  /// of failures is kept, so that an unstable clock or path does not reset the back-off.
  mutating func endBackOffs(
    under conditions: LookupConditions, now: BootTimestamp,
    using generator: inout some RandomNumberGenerator
  ) {
    for rule in rules {
      let ledgerName = pauseLedgerName(of: rule)
      guard let pause = ledgers[ledgerName]?.pause, let old = pause.conditions,
        conditions.haveChanged(since: old)
      else { continue }
      let delay = Double.random(in: 0...Self.longestChangeDelaySeconds, using: &generator)
      ledgers[ledgerName]?.pause = ProviderUsage.Pause(
        began: now,
        seconds: min(
          delay, ProviderUsage.remaining(of: pause.seconds, since: pause.began, now: now)),
        configuration: pause.configuration,
        reason: "is retried soon, because the clock, the network or the certificates changed")
    }
  }

  /// Records the outcome of a lookup and sets the resulting pause.
  ///
  /// A later change of `conditions` ends the back-off if the outcome depends on them.
  mutating func recordOutcome(
    _ name: String, _ outcome: ProviderOutcome, now: BootTimestamp,
    conditions: LookupConditions? = nil, using generator: inout some RandomNumberGenerator
  ) {
    guard let rule = rules.first(where: { $0.name == name }) else { return }
    var ledgerName = pauseLedgerName(of: rule)
    if case .failed(let seconds?) = outcome, seconds > 0 { ledgerName = rule.ledgerName }
    var ledger = ledgers[ledgerName] ?? ProviderUsage(at: now)
    switch outcome {
    case .cancelled: return
    case .answered, .notServed:
      ledger.failures = 0
      ledger.pause = nil
    case .unreachable:
      // Do not increase the back-off, so that the provider is retried within two minutes after the
      // network returns.
      ledger.pause = ProviderUsage.Pause(
        began: now,
        seconds: Self.firstBackOffSeconds
          + .random(in: 0...Self.firstBackOffSeconds, using: &generator),
        configuration: rule.configuration)
    case .denied:
      ledger.pause = ProviderUsage.Pause(
        began: now, seconds: Self.longestPauseSeconds, configuration: rule.configuration,
        reason: "rejected the key or the contact; change either to retry at once")
    case .refused:
      ledger.refusedConfiguration = rule.configuration
    case .failed, .intercepted, .unanswered:
      let retryAfterSeconds: Double? =
        if case .failed(let seconds) = outcome { seconds } else { nil }
      let longest =
        outcome == .intercepted
        ? Self.longestInterceptionBackOffSeconds : Self.longestBackOffSeconds
      let maxRandom = min(
        Self.firstBackOffSeconds * Double(1 << min(ledger.failures, 6)), longest)
      ledger.failures = min(ledger.failures + 1, 1000)
      // Add jitter to the first back-off, so that boards whose lookups failed at the same time
      // retry at different times, even after the first failure.
      let jittered = min(
        Self.firstBackOffSeconds + Double.random(in: 0...maxRandom, using: &generator), longest)
      // Ignore a requested pause that is NaN or negative.
      let requested = retryAfterSeconds.flatMap { $0 > 0 ? $0 : nil } ?? 0
      // Extend the requested pause by up to 10 %.
      let requestedWithJitter = requested * Double.random(in: 1...1.1, using: &generator)
      ledger.pause = ProviderUsage.Pause(
        began: now, seconds: min(max(jittered, requestedWithJitter), Self.longestPauseSeconds),
        configuration: requested > 0 ? nil : rule.configuration,
        reason: requested > 0 ? "requested a pause" : nil)
    }
    if outcome.dependsOnConditions { ledger.pause?.conditions = conditions }
    ledgers[ledgerName] = ledger
  }
}
