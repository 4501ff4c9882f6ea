// SPDX-License-Identifier: Apache-2.0

internal import Pipeline
internal import Positioning
internal import Receivers
internal import WeatherClientLive
internal import WeatherFeature

/// Forwards all events to a sink, and adds the weather that instruments measured in a recording.
///
/// Never contacts a provider and never reads a sensor of the board.
actor RecordedOutlookSink: Sink {
  nonisolated let name: String
  private let sink: any Sink
  private let weatherQueries = WeatherQueries(service: WeatherService(sources: [], storePath: nil))
  private var schedule = RecordedOutlookSchedule()

  init(_ sink: any Sink) {
    name = sink.name
    self.sink = sink
  }

  func receive(_ event: any PipelineEvent) async throws {
    try await sink.receive(event)
    guard let question = schedule.question(after: event, at: .now()) else { return }
    let outlook = await weatherQueries.stored(question)
    guard outlook.resolved.best?.quality == .sensor else { return }
    try await sink.receive(OutlookEvent(outlook))
  }
}
