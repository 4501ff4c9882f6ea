// SPDX-License-Identifier: Apache-2.0

internal import Positioning
internal import SystemSupport

/// Decides which provider is asked next, if any.
///
/// The first in the list that may be asked is; one that fails is passed over until its back-off is
/// over and then comes first again. Whatever happens, in whatever order, and wherever the wall
/// clock jumps: 60 seconds lie between two lookups at one provider, which may take several requests
/// each; none sees more than its daily budget in any 24 hours of a boot; and none is asked before
/// the time it set is over.
struct ProviderScheduler: Equatable, Sendable {
  /// What lies between two lookups at one provider at least, whatever came of the first.
  static let minimumIntervalSeconds: Double = 60
  /// What the back-off grows from with each failure.
  static let firstBackOffSeconds: Double = 60
  /// What it grows to.
  static let longestBackOffSeconds: Double = 3600
  /// The longest time that a provider is left alone for at its word.
  static let longestPauseSeconds: Double = 86_400

  enum Decision: Equatable, Sendable {
    /// This one is asked, and counted as asked.
    case ask(String)
    /// None may be asked for that many seconds.
    case wait(seconds: Double, reason: String)
    /// None will ever be asked with this configuration.
    case never(reason: String)
  }

  private(set) var ledgers: [String: ProviderUsage]
  private let rules: [ProviderRules]
  private let scope: LookupScope

  /// - Parameters:
  ///   - rules: The providers, in the order in which they are preferred.
  ///   - ledgers: What was stored of them.
  ///   - scope: What is looked up. Lookups for the middle of a cell share the budget and the pauses that
  ///     a provider asks for. They have back-offs and refusals of their own, since those of the other
  ///     lookups depend on where the board has asked.
  init(
    _ rules: [ProviderRules], ledgers: [String: ProviderUsage] = [:],
    scope: LookupScope = .nearby
  ) {
    self.rules = rules
    self.scope = scope
    // What is configured no longer is kept too: taking a provider out and in again is no new day.
    self.ledgers = ledgers
  }

  private func pauseLedgerName(of rule: ProviderRules) -> String {
    scope == .nearby ? rule.ledgerName : rule.ledgerName + " (middle)"
  }

  /// Decides, and counts the request where one is to be made.
  mutating func next(now: BootTimestamp, passingOver passedOver: Set<String> = []) -> Decision {
    var soonest: (seconds: Double, reason: String)?
    var refusals: [String] = []
    for rule in rules where !passedOver.contains(rule.name) {
      var ledger = ledgers[rule.ledgerName] ?? ProviderUsage(at: now)
      ledger.rebase(to: now)
      var judged = ledger
      if scope == .middleOfCell {
        let own = ledgers[pauseLedgerName(of: rule)]
        if ledger.pause?.isAskedFor != true { judged.pause = own?.pause }
        judged.refusedConfiguration = own?.refusedConfiguration
        judged.lastRequest = nil
      }
      switch Self.obstacle(to: judged, by: rule, now: now) {
      case nil:
        for _ in 0..<ledger.requestsSetAside(by: rule) { ledger.window.count(at: now) }
        if scope == .nearby {
          ledger.lastRequest = now
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
      reason: refusals.isEmpty ? "no provider is left to ask" : refusals.joined(separator: "; "))
  }

  /// How many requests a lookup may take that has just been decided on: what is set aside for it,
  /// and what is left of the budget besides.
  func allowance(of name: String) -> Int {
    guard let rule = rules.first(where: { $0.name == name }),
      let ledger = ledgers[rule.ledgerName]
    else { return 0 }
    return max(0, rule.dailyBudget - ledger.window.total) + ledger.requestsSetAside(by: rule)
  }

  /// Whether any of the providers is being asked for a place nearby.
  func isAsking(near coordinate: Coordinate, withinMeters meters: Double, now: BootTimestamp)
    -> Bool
  {
    rules.contains {
      ledgers[$0.ledgerName]?.isAsking(near: coordinate, withinMeters: meters, now: now) == true
    }
  }

  /// Takes note of a lookup that is made now, until it is settled.
  mutating func begin(
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

  private static func obstacle(
    to ledger: ProviderUsage, by rule: ProviderRules, now: BootTimestamp
  ) -> Obstacle? {
    if ledger.refusedConfiguration == rule.configuration {
      return .refused(
        "\(rule.name) has refused this configuration, and is asked again when its contact, key or"
          + " URL is another")
    }
    if rule.dailyBudget <= 0 { return .refused("\(rule.name) has no budget") }
    let requests = ledger.requestsSetAside(by: rule)
    if rule.dailyBudget < requests {
      return .refused(
        "\(rule.name) takes \(requests) requests a lookup and has \(rule.dailyBudget) a day")
    }
    if let pause = ledger.pause, pause.configuration ?? rule.configuration == rule.configuration {
      let rest = ProviderUsage.remaining(
        of: min(pause.seconds, longestPauseSeconds), since: pause.began, now: now)
      if rest > 0 {
        return .wait(
          seconds: rest, reason: "\(rule.name) \(pause.reason ?? "is left alone after a failure")")
      }
    }
    if ledger.window.total + requests > rule.dailyBudget {
      return .wait(seconds: 3600, reason: "\(rule.name) has had its \(rule.dailyBudget) a day")
    }
    if let last = ledger.lastRequest {
      let rest = ProviderUsage.remaining(of: minimumIntervalSeconds, since: last, now: now)
      if rest > 0 { return .wait(seconds: rest, reason: "\(rule.name) was asked a moment ago") }
    }
    return nil
  }

  /// Puts right how many requests a lookup took: some protocols take several.
  ///
  /// The most that a lookup took is set aside for each, so that none begins that the budget does
  /// not cover.
  mutating func settle(
    _ requests: Int, to name: String, began: BootTimestamp? = nil, now: BootTimestamp
  ) {
    guard let rule = rules.first(where: { $0.name == name }),
      var ledger = ledgers[rule.ledgerName]
    else { return }
    if began == nil || ledger.asking?.began == began { ledger.asking = nil }
    // One is counted in any case: what a cancelled lookup sent is not always known.
    let took = min(max(1, requests), 100)
    let setAside = ledger.requestsSetAside(by: rule)
    let further = took - setAside
    if further < 0 { ledger.window.giveBack(-further) }
    for _ in 0..<max(0, further) { ledger.window.count(at: now) }
    ledger.maxRequests = max(setAside, min(took, WeatherLookup.maxRequests))
    ledgers[rule.ledgerName] = ledger
  }

  /// Takes note of what became of a request.
  mutating func finished(
    _ name: String, _ outcome: ProviderOutcome, now: BootTimestamp,
    using generator: inout some RandomNumberGenerator
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
      // Does not grow: when the network is back, the provider is asked within two minutes.
      ledger.pause = ProviderUsage.Pause(
        began: now,
        seconds: Self.firstBackOffSeconds
          + .random(in: 0...Self.firstBackOffSeconds, using: &generator),
        configuration: rule.configuration)
    case .denied:
      ledger.pause = ProviderUsage.Pause(
        began: now, seconds: Self.longestPauseSeconds, configuration: rule.configuration,
        reason: "did not take the key or the contact; with another it is asked at once")
    case .refused:
      ledger.refusedConfiguration = rule.configuration
    case .failed(let retryAfterSeconds):
      let most = min(
        Self.firstBackOffSeconds * Double(1 << min(ledger.failures, 6)),
        Self.longestBackOffSeconds)
      ledger.failures = min(ledger.failures + 1, 1000)
      // Jitter on top of the least, not cut off by it: boards that failed together do not come
      // back together, after the first failure neither.
      let jittered = min(
        Self.firstBackOffSeconds + Double.random(in: 0...most, using: &generator),
        Self.longestBackOffSeconds)
      // NaN and the negative say nothing.
      let asked = retryAfterSeconds.flatMap { $0 > 0 ? $0 : nil } ?? 0
      // A tenth on top, never less than asked for.
      let spread = asked * Double.random(in: 1...1.1, using: &generator)
      ledger.pause = ProviderUsage.Pause(
        began: now, seconds: min(max(jittered, spread), Self.longestPauseSeconds),
        configuration: asked > 0 ? nil : rule.configuration,
        reason: asked > 0 ? "asked to be left alone" : nil)
    }
    ledgers[ledgerName] = ledger
  }
}
