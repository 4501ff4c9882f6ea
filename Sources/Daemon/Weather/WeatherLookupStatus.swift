// SPDX-License-Identifier: Apache-2.0

internal import Pipeline
internal import Positioning
internal import WeatherClient
internal import WeatherFeature

/// The status of the weather lookups, derived from pipeline events.
struct WeatherLookupStatus: Equatable, Sendable {
  /// The provider of the last report.
  private(set) var provider: String?
  /// The time of the provider's last reply; for a stored report, the time of the original reply.
  private(set) var answeredAt: MonotonicTime?
  /// The time at which the provider issued the last report; `nil` if unknown.
  private(set) var issuedAt: UTCTime?
  /// The error of the last lookup; `nil` if a provider has replied since that error.
  private(set) var lastError: String?
  private(set) var failedAt: MonotonicTime?
  /// The time of the first error since the last reply of a provider.
  private(set) var failingSince: MonotonicTime?
  /// The command or the action that remedies the error; `nil` if only time helps.
  private(set) var advice: String?
  /// The earliest time of the next lookup.
  ///
  /// The first location after this time starts the lookup.
  private(set) var retryAt: MonotonicTime?
  /// The reason why the reachability gate blocks lookups; `nil` if the gate does not block them.
  private(set) var heldBy: String?

  /// Updates the status from a pipeline event.
  mutating func take(_ event: any PipelineEvent, at now: MonotonicTime) {
    switch event {
    case let event as EnrichedEvent:
      guard let report = event.value.enrichment(of: WeatherEnrichment.self)?.report else { return }
      // A stored report does not mean that the provider has recovered from a later error.
      let age = Int64(min(max(report.cachedForSeconds ?? 0, 0), 1e9) * 1e9)
      let answeredAt = now.advanced(byNanoseconds: -age)
      (provider, self.answeredAt, retryAt) = (report.provider, answeredAt, nil)
      issuedAt = report.issuedAt
      if let failedAt, failedAt > answeredAt { return }
      (lastError, failedAt, failingSince, advice) = (nil, nil, nil, nil)
    case let event as LookupFailureEvent:
      let seconds = min(max(event.retryAfterSeconds, 0), 1e9)
      retryAt = now.advanced(byNanoseconds: Int64(seconds * 1e9))
      // "Not due" only means that an earlier error still delays lookups, so keep that error.
      if case .notDue = event.error.cause, lastError != nil { return }
      (lastError, failedAt, advice) = ("\(event.error)", now, event.error.advice)
      failingSince = failingSince ?? now
    case let event as GateEvent where event.type == ReachabilityGate.name:
      heldBy = if case .holds(let reason) = event.verdict { reason } else { nil }
    default: break
    }
  }
}
