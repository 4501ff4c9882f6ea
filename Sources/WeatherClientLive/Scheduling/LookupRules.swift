// SPDX-License-Identifier: Apache-2.0

internal import Positioning
internal import SystemSupport
internal import WeatherClient

/// Decides from the stored data whether a lookup needs a request, and selects the provider.
///
/// The stored data contains the lookups of all programs that share the store.
struct LookupRules: Equatable, Sendable {
  /// The decision for a lookup without a fresh report.
  enum Decision: Equatable, Sendable {
    /// Wait for the report of another lookup nearby, which is in progress.
    case awaited
    /// The scheduler's decision; `allowance` is the maximum number of requests for the lookup.
    case decided(ProviderScheduler.Decision, allowance: Int)
  }

  /// The maximum distance from a coordinate at which a stored report is reused.
  static let reachMeters = 5000.0

  /// The providers in order of preference.
  let providers: [ProviderRules]
  /// The number of decimal places of the coarsest grid among the providers.
  ///
  /// Reports are stored and reused by the cells of this grid.
  let decimals: Int
  /// The maximum duration of a lookup in seconds.
  let deadlineSeconds: Double

  /// Returns the cell for which the weather at a coordinate is looked up.
  func cell(at coordinate: Coordinate) -> WeatherCell {
    WeatherCell(coordinate, decimals: decimals)
  }

  /// The radius in metres of the stored reports that ``freshReports(at:of:now:)`` needs.
  ///
  /// On a coarse grid, the radius is larger than ``reachMeters``, since the centre of the cell that
  /// contains the coordinate may be farther away.
  var searchMeters: Double {
    // The diagonal of a cell is 160 km without decimals. Each decimal divides the diagonal by ten.
    max(Self.reachMeters, (0..<decimals).reduce(160_000) { meters, _ in meters / 10 })
  }

  /// Returns the fresh reports that make a lookup unnecessary, the nearest first.
  func freshReports(
    at coordinate: Coordinate, of stored: [StoredReport], now: BootTimestamp
  ) -> [StoredReport] {
    let name = StoredReport.name(of: cell(at: coordinate))
    return stored.filter { $0.isFresh(at: now) && isFromConfiguredProvider($0) }
      .map { NearbyReport(stored: $0, meters: $0.coordinate.distanceMeters(to: coordinate)) }
      .filter { $0.meters <= Self.reachMeters || $0.stored.cell == name }
      .sorted { $0.meters < $1.meters }.map(\.stored)
  }

  /// Whether a stored report is from a server of one of the configured providers, or was received
  /// from another program.
  func isFromConfiguredProvider(_ stored: StoredReport) -> Bool {
    stored.site == StoredReport.receivedSite
      || providers.contains { $0.name == stored.provider && $0.site == stored.site }
  }

  /// Decides on a lookup without a fresh report, and records the lookup if a provider is selected.
  ///
  /// Back-offs that depend on the conditions end if `conditions` have changed.
  func decide(
    at coordinate: Coordinate, ledgers: inout [String: ProviderUsage], now: BootTimestamp,
    excluding excluded: Set<String>, mayWait: Bool, scope: LookupScope = .nearby,
    conditions: LookupConditions?, using generator: inout some RandomNumberGenerator
  ) -> Decision {
    var scheduler = ProviderScheduler(providers, ledgers: ledgers, scope: scope)
    let centre = cell(at: coordinate).coordinate
    let isLookingUp =
      scheduler.isLookingUp(near: coordinate, withinMeters: Self.reachMeters, now: now)
      || centre.map { scheduler.isLookingUp(near: $0, withinMeters: 1, now: now) } ?? false
    if mayWait, isLookingUp { return .awaited }
    defer { ledgers = scheduler.ledgers }
    if let conditions { scheduler.endBackOffs(under: conditions, now: now, using: &generator) }
    let decision = scheduler.next(now: now, excluding: excluded)
    guard case .ask(let name) = decision else { return .decided(decision, allowance: 0) }
    if let centre { scheduler.recordStart(name, at: centre, now: now, seconds: deadlineSeconds) }
    return .decided(decision, allowance: scheduler.allowance(of: name))
  }

  /// Records the outcome and the number of requests of a lookup.
  func finish(
    _ name: String, _ outcome: ProviderOutcome, requests: Int, began: BootTimestamp,
    scope: LookupScope = .nearby, ledgers: inout [String: ProviderUsage], now: BootTimestamp,
    conditions: LookupConditions?, using generator: inout some RandomNumberGenerator
  ) {
    var scheduler = ProviderScheduler(providers, ledgers: ledgers, scope: scope)
    scheduler.recordRequests(requests, to: name, began: began, now: now)
    scheduler.recordOutcome(
      name, outcome, now: now, conditions: conditions, using: &generator)
    ledgers = scheduler.ledgers
  }
}

/// The kind of a lookup: the stored reports that it may return, and its request limits.
enum LookupScope: Sendable {
  /// Reports for any coordinate that is near enough.
  case nearby
  /// The same reports, for a place that a person typed.
  ///
  /// People look up several places in a row, so these lookups have a limit of their own.
  case typed
  /// Only reports for the centre of a reduced-accuracy cell.
  ///
  /// These lookups occur at most once in a quarter of an hour, so the minimum interval between
  /// lookups does not apply.
  case centreOfCell

  /// Returns the cell for which the report of a lookup is stored.
  func cell(at coordinate: Coordinate, _ rules: LookupRules) -> WeatherCell {
    switch self {
    case .nearby, .typed: rules.cell(at: coordinate)
    case .centreOfCell: WeatherCell(coordinate, decimals: WeatherCell.maxDecimals)
    }
  }
}
