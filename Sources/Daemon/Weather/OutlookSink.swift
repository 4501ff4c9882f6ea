// SPDX-License-Identifier: Apache-2.0

internal import LocationServices
package import Pipeline
package import Positioning
internal import Receivers
internal import SystemSupport
internal import WeatherFeature

/// Forwards all events to a sink, and adds weather outlooks.
///
/// An outlook combines a provider's report, stored reports, the board's own measurements, and the
/// sun and the moon. The sink never contacts a provider, so outlooks also work without a network.
package actor OutlookSink: Sink {
  package nonisolated let name: String
  private let sink: any Sink
  private let weatherQueries: WeatherQueries
  private let isAtBoard: Bool
  private let now: @Sendable () -> MonotonicTime
  private var schedule = OutlookSchedule()

  /// Creates a sink that forwards all events to another sink.
  ///
  /// - Parameters:
  ///   - sink: Receives all events and the outlooks.
  ///   - weatherQueries: Computes the outlooks.
  ///   - isAtBoard: Whether the locations are this board's; false if they are from a recording.
  ///   - now: The clock that timestamps locations.
  package init(
    _ sink: any Sink, weatherQueries: WeatherQueries, isAtBoard: Bool,
    now: @escaping @Sendable () -> MonotonicTime = { .now() }
  ) {
    name = sink.name
    self.sink = sink
    self.weatherQueries = weatherQueries
    self.isAtBoard = isAtBoard
    self.now = now
  }

  package func receive(_ event: any PipelineEvent) async throws {
    try await sink.receive(event)
    guard let question = schedule.question(after: event, at: now(), isAtBoard: isAtBoard) else {
      return
    }
    var outlook = await weatherQueries.stored(question)
    outlook.reason =
      schedule.obstacle
      ?? weatherQueries.unusedReportReason(outlook, of: schedule.currentReport(at: now()))
    try await sink.receive(OutlookEvent(outlook))
  }
}
