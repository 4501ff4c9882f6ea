// SPDX-License-Identifier: Apache-2.0

internal import Pipeline
internal import Positioning
internal import WeatherClient
internal import WeatherFeature

/// How lookups of the weather stand, from what goes through the pipeline.
struct WeatherStanding: Equatable, Sendable {
  /// Who answered last, and when; of a report that was kept, when its provider said it.
  private(set) var provider: String?
  private(set) var answeredAt: MonotonicTime?
  /// Why the last lookup since then had no provider's answer, and when it was.
  private(set) var lastError: String?
  private(set) var failedAt: MonotonicTime?
  /// When another is due, with the next location after.
  private(set) var retryAt: MonotonicTime?
  /// Why none is made at present.
  private(set) var heldBy: String?

  /// Takes an event.
  mutating func take(_ event: any PipelineEvent, at now: MonotonicTime) {
    switch event {
    case let event as EnrichedEvent:
      guard let report = event.value.found(WeatherEnrichment.self)?.report else { return }
      // What was kept is nobody's word of now, and no sign that whoever failed is back.
      let kept = Int64(min(max(report.keptSeconds ?? 0, 0), 1e9) * 1e9)
      let saidAt = now.advanced(byNanoseconds: -kept)
      (provider, answeredAt, retryAt) = (report.provider, saidAt, nil)
      if let failedAt, failedAt > saidAt { return }
      (lastError, failedAt) = (nil, nil)
    case let event as LookupFailureEvent:
      let seconds = min(max(event.retryAfterSeconds, 0), 1e9)
      retryAt = now.advanced(byNanoseconds: Int64(seconds * 1e9))
      // That it is not time yet is no failure of its own, and says less than the one before.
      if case .notDue = event.error.cause, lastError != nil { return }
      (lastError, failedAt) = ("\(event.error)", now)
    case let event as GateEvent where event.type == ReachabilityGate.name:
      heldBy = if case .holds(let reason) = event.verdict { reason } else { nil }
    default: break
    }
  }
}
