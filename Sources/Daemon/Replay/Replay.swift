// SPDX-License-Identifier: Apache-2.0

internal import LocationServices
package import Pipeline
internal import Positioning
package import Receivers
internal import SystemSupport
internal import WeatherClient
internal import WeatherClientLive
internal import WeatherFeature

/// Plays a recorded log through the whole pipeline, and adds the weather that instruments measured.
///
/// To keep the recorded positions private, weather is looked up only if a provider or a URL is set.
package struct Replay: Sendable {
  package var file: String
  package var pace: ReplayPace
  /// The base URL of a provider with Open-Meteo's protocol; `nil` disables lookups, unless
  /// ``weather`` is set.
  package var weatherURL: String?
  /// Providers to use instead of ``weatherURL``, with the board's request limits.
  package var weather: WeatherServiceConfiguration?
  /// Whether sentences without a checksum are accepted.
  package var allowsMissingChecksum = false
  /// The replay ends early when this function returns.
  ///
  /// The summary of such a replay covers only the part that was played.
  package var interruption: @Sendable () async -> Void = { await PipelineRun.untilCancelled() }

  package init(file: String, pace: ReplayPace, weatherURL: String?) {
    self.file = file
    self.pace = pace
    self.weatherURL = weatherURL
  }

  /// Capacity of the queues of locations and events.
  ///
  /// The capacity exceeds the number of events that the source delivers before it waits for the
  /// output, so that nothing is dropped. The other 1024 places are for events of the pipeline.
  static let limit = ReplaySource.maxEventsBetweenWaits + 1024

  /// Minimum time between two lookups, in seconds.
  ///
  /// A replay at a multiple of the recorded speed allows one lookup per recorded minute, but at
  /// most one lookup per second, to limit the load on the provider. Any other replay allows one
  /// lookup per minute.
  var minimumIntervalSeconds: Double {
    guard let factor = pace.factor, factor > 1 else { return 60 }
    return max(60 / factor, 1)
  }

  /// Plays the log to its end, or until ``interruption`` returns.
  ///
  /// - Throws: The factory's error for a log that it cannot open.
  package func run(into sink: any Sink, factory: SourceFactory = .system) async throws -> RunSummary
  {
    let sink = RecordedOutlookSink(sink)
    let (notices, continuation) = AsyncStream.makeStream(
      of: String.self, bufferingPolicy: .bufferingNewest(16))
    let pipeline = pipeline(provider { continuation.yield($0) }, sink: sink)
    // The user consented by playing the log, so all its locations are authorized.
    let manager = LocationManager(
      policy: AllowAll(initially: .authorizedAlways), purpose: "Play a recording",
      callbackLimit: Self.limit)
    var source = try factory.replay(file, pace) {
      await manager.waitUntilDelivered()
      await pipeline.waitUntilDrained()
    }
    if allowsMissingChecksum, var recording = source as? ReplaySource {
      recording.allowsMissingChecksum = true
      source = recording
    }
    let session = SourceSession(source)
    return await withTaskGroup(of: Void.self) { group in
      group.addTask {
        for await text in notices {
          pipeline.submit(ErrorEvent(source: "weather store", message: text))
        }
      }
      let summary = await PipelineRun(
        session: session, manager: manager, pipeline: pipeline,
        interruption: interruption
      ).run()
      group.cancelAll()
      return summary
    }
  }

  /// Returns the pipeline with lookups at a provider; without a provider, it has only the sink.
  package func pipeline(_ provider: ProviderPath?, sink: any Sink) -> LocationPipeline {
    guard let provider else {
      return LocationPipeline(branch: [], sinks: [sink], sinkLimit: Self.limit)
    }
    return LocationPipeline(
      branch: WeatherBranch.plugins(
        PlaceStage(client: provider.client), ReachabilityGateRunner(monitor: provider.monitor),
        WeatherStage(
          client: provider.client,
          policy: LookupPolicy(minimumIntervalSeconds: minimumIntervalSeconds),
          now: MonotonicTime.now)),
      sinks: [sink], sinkLimit: Self.limit)
  }

  private func provider(notice: @escaping @Sendable (String) -> Void) -> ProviderPath? {
    if let weather { return weather.path(notice: notice).provider }
    return weatherURL.map {
      ProviderPath(.openMeteo(OpenMeteo(baseURL: $0)), at: [$0])
    }
  }
}
