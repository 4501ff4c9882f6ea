// SPDX-License-Identifier: Apache-2.0

internal import LocationServices
internal import Pipeline
internal import Positioning
internal import WeatherFeature

/// Tells the daemon's pipeline what is known of the weather where the board is, with a provider's
/// answer and without: what is stored, what the board measures, and always the sun and the moon.
///
/// It stands among the sinks, where all comes by that has a say in when, and asks nobody.
actor OutlookReporter: Sink {
  static let sinkName = "outlook"
  nonisolated let name = OutlookReporter.sinkName
  private let inquiry: WeatherInquiry
  private let isHere: Bool
  private let now: @Sendable () -> MonotonicTime
  private let note: @Sendable (any PipelineEvent) -> Void
  private let tell: @Sendable (OutlookEvent, Authorization?) -> Void
  /// What may be known, as far as it has come by.
  private var authorization: Authorization?
  private var schedule = OutlookSchedule()

  /// - Parameters:
  ///   - inquiry: What is known of the weather.
  ///   - isHere: Whether locations are of the board itself, and not of a recording.
  ///   - now: The present reading of the clock that locations are received by.
  ///   - note: Takes all that comes by; returns at once.
  ///   - tell: Takes what is known, for all sinks, and the word on authorization that it was known
  ///     under: another may have come since. Returns at once.
  init(
    _ inquiry: WeatherInquiry, isHere: Bool, now: @escaping @Sendable () -> MonotonicTime,
    note: @escaping @Sendable (any PipelineEvent) -> Void = { _ in },
    tell: @escaping @Sendable (OutlookEvent, Authorization?) -> Void
  ) {
    self.inquiry = inquiry
    self.isHere = isHere
    self.now = now
    self.note = note
    self.tell = tell
  }

  /// Whether an event has a say; satellites have none, and come with epochs that do.
  static func takes(_ event: any PipelineEvent) -> Bool { !(event is SkyEvent) }

  func receive(_ event: any PipelineEvent) async throws {
    note(event)
    if let event = event as? AuthorizationEvent { authorization = event.authorization }
    let authorization = authorization
    guard let question = schedule.question(after: event, at: now(), isHere: isHere) else { return }
    var outlook = await inquiry.stored(question)
    outlook.reason =
      schedule.obstacle ?? inquiry.silence(outlook, of: schedule.answer(at: now()))
    tell(OutlookEvent(outlook), authorization)
  }
}
