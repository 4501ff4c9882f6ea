// SPDX-License-Identifier: Apache-2.0

internal import LocationServices
internal import Pipeline
internal import Positioning
internal import WeatherFeature

/// Decides when to report a recording's instrument readings, by recorded time.
///
/// Locations pass through the location manager, so they arrive later than the readings of the same
/// epoch. Readings are queued here until a location with the same or a later time arrives.
struct RecordedOutlookSchedule: Sendable {
  /// Maximum number of queued readings; the oldest are dropped first.
  static let limit = 4096

  private var waiting: [(time: UTCTime, readings: InstrumentReadings)] = []
  private var readings = InstrumentReadings()
  private var schedule = OutlookSchedule()

  /// Handles an event.
  ///
  /// Returns a weather query if an outlook is due, otherwise `nil`.
  mutating func question(
    after event: any PipelineEvent, at now: MonotonicTime
  ) -> WeatherQueries.Question? {
    if let event = event as? InstrumentEvent, let time = event.readings.newestTime {
      if waiting.count >= Self.limit { waiting.removeFirst() }
      waiting.append((time, event.readings))
    }
    guard let event = event as? LocationEvent, let time = event.location.time else { return nil }
    let dueReadings = waiting.prefix { $0.time <= time }
    if let last = dueReadings.last { readings = last.readings }
    waiting.removeFirst(dueReadings.count)
    let sensors = readings.sensors(at: time, now: now)
    let sinceEpoch = time.nanoseconds(since: UTCTime(secondsSince1970: 0))
    guard !sensors.isEmpty,
      schedule.handle(event, at: MonotonicTime(nanoseconds: sinceEpoch)) != nil
    else { return nil }
    var question = WeatherQueries.Question(about: event.location, isAtBoard: false)
    question.instruments = sensors
    question.time = time
    return question
  }
}
