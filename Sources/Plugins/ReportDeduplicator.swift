// SPDX-License-Identifier: Apache-2.0

package import Pipeline
internal import Positioning
internal import WeatherClient
internal import WeatherFeature

/// Whether a provider's fresh word has been told where it came, or is to be told for the first time.
///
/// It may have come to another program, which left it in the store that all share.
package struct ReportDeduplicator: Equatable, Sendable {
  /// What tells one report from the next.
  private struct Identity: Equatable, Sendable {
    let provider: String
    let coordinate: Coordinate
    let issuedAt: UTCTime?
    let validAt: UTCTime?

    init(_ report: WeatherReport) {
      provider = report.provider
      coordinate = report.coordinate
      issuedAt = report.issuedAt
      validAt = report.validAt
    }
  }

  private var told: Identity?

  /// Makes one to which nothing has been told.
  package init() {}

  /// Takes an event.
  package mutating func isRepetition(_ event: any PipelineEvent) -> Bool {
    if let event = event as? EnrichedEvent,
      let report = event.value.found(WeatherEnrichment.self)?.report
    {
      told = Identity(report)
    }
    guard let outlook = (event as? OutlookEvent)?.outlook else { return false }
    guard outlook.resolver.best?.quality == .fresh, let report = outlook.report else {
      // What was told last is this, and a fresh word after it is news again.
      told = nil
      return false
    }
    let fresh = Identity(report)
    defer { told = fresh }
    return told == fresh
  }
}
