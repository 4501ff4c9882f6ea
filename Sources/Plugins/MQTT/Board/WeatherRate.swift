// SPDX-License-Identifier: Apache-2.0

internal import Pipeline
internal import Positioning
internal import WeatherClient
internal import WeatherFeature

/// Limits the rate of weather: a new report is published at once, the current age of an old report
/// at intervals.
struct WeatherRate: Sendable {
  /// The properties that distinguish weather, besides its age and interpolated values.
  private struct Origin: Equatable, Sendable {
    /// The quality; `nil` if there are no values.
    var quality: WeatherAnswer.Quality?
    var provider: String?
    var coordinate: Coordinate?
    var issuedAt: UTCTime?
    var validAt: UTCTime?

    init(_ quality: WeatherAnswer.Quality?, provider: String?, _ report: WeatherReport?) {
      (self.quality, self.provider) = (quality, provider)
      (coordinate, issuedAt, validAt) = (report?.coordinate, report?.issuedAt, report?.validAt)
    }
  }

  private let intervalSeconds: Double
  private var last: (origin: Origin, at: MonotonicTime)?

  init(intervalSeconds: Double) { self.intervalSeconds = intervalSeconds }

  /// Returns whether to publish an event's weather, and records the weather if so.
  mutating func takes(_ event: any PipelineEvent, at now: MonotonicTime) -> Bool {
    let origin: Origin
    if let outlook = (event as? OutlookEvent)?.outlook {
      let best = outlook.resolved.best
      let isReport = best != nil && best?.quality != .sensor
      origin = Origin(
        best?.quality, provider: best?.provider, isReport ? outlook.report : nil)
    } else if let event = event as? EnrichedEvent,
      let report = event.value.enrichment(of: WeatherEnrichment.self)?.report
    {
      origin = Origin(.fresh, provider: report.provider, report)
    } else {
      return false
    }
    // Somewhat less, since outlooks do not arrive at exact intervals.
    if let last, last.origin == origin, now.seconds(since: last.at) < intervalSeconds - 0.5 {
      return false
    }
    last = (origin, now)
    return true
  }
}
