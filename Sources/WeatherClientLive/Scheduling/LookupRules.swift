// SPDX-License-Identifier: Apache-2.0

internal import Positioning
internal import SystemSupport
internal import WeatherClient

/// Decides whether a lookup is made, and by whom, from what is stored alone.
///
/// It holds for all programs that share a store: where a report still stands there is none; where
/// one is being made nearby it is waited for; else the provider is asked that is next in the scheduler.
struct LookupRules: Equatable, Sendable {
  /// A decision after a look at the stored reports.
  enum Turn: Equatable, Sendable {
    /// Another lookup is about to have a report for here.
    case awaited
    /// Of the provider that is asked, so many requests may be made.
    case decided(ProviderScheduler.Decision, allowance: Int)
  }

  /// How far a report holds: beyond 5 km there is a new lookup.
  static let reachMeters = 5000.0

  /// The providers, in the order in which they are preferred.
  let providers: [ProviderRules]
  /// The coarsest grid of all of them: whoever moves within its cell is told the same by any.
  let decimals: Int
  /// For how many seconds a lookup may go on.
  let deadlineSeconds: Double

  /// The cell that a coordinate is looked up for.
  func cell(at coordinate: Coordinate) -> WeatherCell {
    WeatherCell(coordinate, decimals: decimals)
  }

  /// How far from a coordinate the reports may be for that ``standing(at:of:now:)`` is to see: the
  /// middle of a coarse cell is farther away than a report holds.
  var searchMeters: Double {
    // A degree and its fractions, from corner to corner.
    max(Self.reachMeters, (0..<decimals).reduce(160_000) { meters, _ in meters / 10 })
  }

  /// The reports that are told in place of a lookup, the nearest first and of two alike the first.
  func standing(
    at coordinate: Coordinate, of stored: [StoredReport], now: BootTimestamp
  ) -> [StoredReport] {
    let name = StoredReport.name(of: cell(at: coordinate))
    return stored.filter { $0.stands(at: now) && isOfProvider($0) }
      .map { NearbyReport(stored: $0, meters: $0.coordinate.distanceMeters(to: coordinate)) }
      .filter { $0.meters <= Self.reachMeters || $0.stored.cell == name }
      .sorted { $0.meters < $1.meters }.map(\.stored)
  }

  /// Whether it came from a server that is one of the providers.
  func isOfProvider(_ stored: StoredReport) -> Bool {
    providers.contains { $0.name == stored.provider && $0.site == stored.site }
  }

  /// Decides on a lookup for which no report stands, and takes note of it where one is made.
  func turn(
    at coordinate: Coordinate, ledgers: inout [String: ProviderUsage], now: BootTimestamp,
    passingOver passedOver: Set<String>, mayWait: Bool, scope: LookupScope = .nearby
  ) -> Turn {
    var scheduler = ProviderScheduler(providers, ledgers: ledgers, scope: scope)
    let middle = cell(at: coordinate).coordinate
    let isAsking =
      scheduler.isAsking(near: coordinate, withinMeters: Self.reachMeters, now: now)
      || middle.map { scheduler.isAsking(near: $0, withinMeters: 1, now: now) } ?? false
    if mayWait, isAsking { return .awaited }
    defer { ledgers = scheduler.ledgers }
    let decision = scheduler.next(now: now, passingOver: passedOver)
    guard case .ask(let name) = decision else { return .decided(decision, allowance: 0) }
    if let middle { scheduler.begin(name, at: middle, now: now, seconds: deadlineSeconds) }
    return .decided(decision, allowance: scheduler.allowance(of: name))
  }

  /// Takes note of what became of a lookup.
  func finish(
    _ name: String, _ outcome: ProviderOutcome, requests: Int, began: BootTimestamp,
    scope: LookupScope = .nearby,
    ledgers: inout [String: ProviderUsage], now: BootTimestamp,
    using generator: inout some RandomNumberGenerator
  ) {
    var scheduler = ProviderScheduler(providers, ledgers: ledgers, scope: scope)
    scheduler.settle(requests, to: name, began: began, now: now)
    scheduler.finished(name, outcome, now: now, using: &generator)
    ledgers = scheduler.ledgers
  }
}

/// The reports that may answer a lookup.
enum LookupScope: Sendable {
  /// Reports for any place that is near enough.
  case nearby
  /// Reports for the middle of a cell of reduced accuracy alone. There is one lookup a quarter of an
  /// hour at most, so it keeps no interval from the board's own lookups.
  case middleOfCell

  /// The cell that the report of the lookup is stored for.
  func cell(at coordinate: Coordinate, _ rules: LookupRules) -> WeatherCell {
    switch self {
    case .nearby: rules.cell(at: coordinate)
    case .middleOfCell: WeatherCell(coordinate, decimals: WeatherCell.maxDecimals)
    }
  }
}
