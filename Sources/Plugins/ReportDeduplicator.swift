// SPDX-License-Identifier: Apache-2.0

package import Pipeline
internal import Positioning
internal import WeatherClient
internal import WeatherFeature

/// Detects weather reports that were already published.
///
/// A report is published with a location, or with an outlook if the report was stored by another
/// program's lookup.
package struct ReportDeduplicator: Equatable, Sendable {
  /// The properties that distinguish reports.
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

  private var lastPublished: Identity?

  /// Creates a deduplicator that has not recorded any report.
  package init() {}

  /// Returns whether the event repeats the last published report, and records the event's report.
  package mutating func isDuplicate(_ event: any PipelineEvent) -> Bool {
    if let event = event as? EnrichedEvent,
      let report = event.value.enrichment(of: WeatherEnrichment.self)?.report
    {
      lastPublished = Identity(report)
    }
    guard let outlook = (event as? OutlookEvent)?.outlook else { return false }
    guard outlook.resolved.best?.quality == .fresh, let report = outlook.report else {
      // After an outlook without a fresh report, publish the next report even if it equals the
      // last published report.
      lastPublished = nil
      return false
    }
    let fresh = Identity(report)
    defer { lastPublished = fresh }
    return lastPublished == fresh
  }
}
