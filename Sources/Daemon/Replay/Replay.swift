// SPDX-License-Identifier: Apache-2.0

internal import LocationServices
package import Pipeline
internal import Positioning
package import Receivers
internal import SystemSupport
internal import WeatherClient
internal import WeatherClientLive
internal import WeatherFeature

/// A recorded log through the whole pipeline, with the weather that instruments have measured in it.
///
/// Weather is looked up only where a provider or a URL is named: where a log was recorded is
/// nobody's business otherwise.
package struct Replay: Sendable {
  /// The log.
  package var file: String
  /// How fast it is played.
  package var pace: ReplayPace
  /// The base URL of a provider that speaks Open-Meteo's protocol; `nil` looks nothing up.
  package var weatherURL: String?
  /// The providers that are asked in place of that URL, within all the rules that hold for the board.
  package var weather: WeatherServiceConfiguration?
  /// Returns when it is to end before its time; what was done so far is still told.
  package var interruption: @Sendable () async -> Void = { await PipelineRun.untilCancelled() }

  /// Makes a replay.
  package init(file: String, pace: ReplayPace, weatherURL: String?) {
    self.file = file
    self.pace = pace
    self.weatherURL = weatherURL
  }

  /// How many locations and events may wait for a slow output: more than the log delivers before
  /// it waits, so that none is lost, and what else there is to tell of meanwhile.
  static let limit = ReplaySource.maxEventsBetweenWaits + 1024

  /// What lies between two lookups at least: a minute of the log, so that a drive that is played
  /// faster gets its weather where the drive did; never less than a second, for the provider's
  /// sake, nor less than a minute where the log is played at once or slower than it was recorded.
  var minimumIntervalSeconds: Double {
    guard let factor = pace.factor, factor > 1 else { return 60 }
    return max(60 / factor, 1)
  }

  /// Runs to the end of the log.
  ///
  /// Throws where the log cannot be had.
  package func run(into sink: any Sink, factory: SourceFactory = .system) async throws -> RunSummary
  {
    let pipeline: LocationPipeline
    let sink = RecordedOutlookSink(sink)
    let (notices, notice) = AsyncStream.makeStream(
      of: String.self, bufferingPolicy: .bufferingNewest(16))
    if let provider = provider(notice: { notice.yield($0) }) {
      pipeline = LocationPipeline(
        gates: [ReachabilityGateRunner(monitor: provider.monitor)],
        stages: [
          WeatherStage(
            client: provider.client,
            policy: LookupPolicy(minimumIntervalSeconds: minimumIntervalSeconds),
            now: MonotonicTime.now),
          PlaceStage(client: provider.client),
        ], sinks: [sink], sinkLimit: Self.limit)
    } else {
      pipeline = LocationPipeline(sinks: [sink], sinkLimit: Self.limit)
    }
    // Whoever plays a log of their own has been asked and has answered.
    let manager = LocationManager(
      policy: AllowAll(initially: .authorizedAlways), purpose: "Play a recording",
      callbackLimit: Self.limit)
    let source = try factory.replay(file, pace) {
      await manager.waitUntilDelivered()
      await pipeline.waitUntilDrained()
    }
    return await withTaskGroup(of: Void.self) { group in
      group.addTask {
        for await text in notices {
          pipeline.submit(ErrorEvent(source: "weather store", message: text))
        }
      }
      let summary = await PipelineRun(
        session: SourceSession(source), manager: manager, pipeline: pipeline,
        interruption: interruption
      ).run()
      group.cancelAll()
      return summary
    }
  }

  private func provider(notice: @escaping @Sendable (String) -> Void) -> ProviderPath? {
    if let weather { return weather.path(notice: notice).provider }
    return weatherURL.map {
      ProviderPath(.openMeteo(OpenMeteo(baseURL: $0)).withPlaces(), at: [$0])
    }
  }
}
