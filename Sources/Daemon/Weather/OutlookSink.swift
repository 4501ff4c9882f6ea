// SPDX-License-Identifier: Apache-2.0

internal import LocationServices
package import Pipeline
package import Positioning
internal import Receivers
internal import SystemSupport
internal import WeatherFeature

/// Hands everything on to a sink, and tells it of the weather besides: what a provider said, or what
/// is stored, or what the board measures, and always of the sun and the moon.
///
/// It stands behind the gate and asks nobody, so that a board without a network is told of too.
package actor OutlookSink: Sink {
  package nonisolated let name: String
  private let sink: any Sink
  private let weatherQueries: WeatherQueries
  private let isHere: Bool
  private let now: @Sendable () -> MonotonicTime
  private var schedule = OutlookSchedule()

  /// - Parameters:
  ///   - sink: Takes everything.
  ///   - weatherQueries: What is known of the weather.
  ///   - isHere: Whether locations are of the board itself, and not of a recording.
  ///   - now: The present reading of the clock that locations are received by.
  package init(
    _ sink: any Sink, weatherQueries: WeatherQueries, isHere: Bool,
    now: @escaping @Sendable () -> MonotonicTime = { .now() }
  ) {
    name = sink.name
    self.sink = sink
    self.weatherQueries = weatherQueries
    self.isHere = isHere
    self.now = now
  }

  package func receive(_ event: any PipelineEvent) async throws {
    try await sink.receive(event)
    guard let question = schedule.question(after: event, at: now(), isHere: isHere) else { return }
    var outlook = await weatherQueries.stored(question)
    outlook.reason =
      schedule.obstacle ?? weatherQueries.silence(outlook, of: schedule.answer(at: now()))
    try await sink.receive(OutlookEvent(outlook))
  }
}
