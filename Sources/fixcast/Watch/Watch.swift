// SPDX-License-Identifier: Apache-2.0

internal import Daemon
import LocationServices
import PathMonitorClient
import PathMonitorClientLive
import Pipeline
import Positioning
import Receivers
import SystemSupport
import WeatherClient
import WeatherClientLive
import WeatherFeature

/// The pipeline of `fixcast watch`, with a source, the network path and the weather.
struct Watch: Sendable {
  /// The source of fixes.
  var session: SourceSession
  /// The weather providers; `nil` to show no weather.
  var weather: WeatherServiceConfiguration?
  /// Whether the source is at the board, so that the board's own sensors apply.
  var isAtBoard = true
  /// The policy that decides whether locations may be shown.
  ///
  /// The default grants access: the user at the board's own terminal has consented.
  var policy: any AuthorizationPolicy = AllowAll(initially: .authorizedAlways)
  /// The purpose in the authorization request.
  var purpose = "Show where the board is, live"
  /// The level to request whenever authorization is not determined, also after a grant has expired.
  var request = AuthorizationRequest.always
  /// The run time; `nil` for no limit.
  var duration: Duration?
  /// The delays of lookups.
  ///
  /// The default adds up to 30 seconds after an outage, so that boards in one network do not send
  /// their requests at the same moment.
  var timing: ReachabilityGateTiming = .jittered()
  /// Returns when the watch is to stop early.
  var interruption: @Sendable () async -> Void = { await PipelineRun.untilCancelled() }

  /// Creates a watch on a source.
  ///
  /// Without `weather`, no weather is shown. Without `duration`, the run time is unlimited.
  init(session: SourceSession, weather: WeatherServiceConfiguration?, duration: Duration? = nil) {
    self.session = session
    self.weather = weather
    self.duration = duration
  }

  /// Runs until the source ends, `duration` is over, the watch is interrupted, or the sink fails.
  func run(into sink: any Sink) async -> RunSummary {
    let manager = LocationManager(policy: policy, purpose: purpose)
    guard let weather else {
      return await run(manager, LocationPipeline(sinks: [sink]), path: .live())
    }
    let (notices, notice) = AsyncStream.makeStream(
      of: String.self, bufferingPolicy: .bufferingNewest(16))
    let (service, provider) = weather.path { notice.yield($0) }
    let weatherQueries = weather.weatherQueries(service)
    let pipeline = pipeline(
      provider, sink: OutlookSink(sink, weatherQueries: weatherQueries, isAtBoard: isAtBoard))
    return await run(manager, pipeline, path: nil, notices: notices)
  }

  /// Returns the pipeline with lookups at a provider.
  func pipeline(_ provider: ProviderPath, sink: any Sink) -> LocationPipeline {
    LocationPipeline(
      branch: WeatherBranch.plugins(
        PlaceStage(client: provider.client), gate(over: provider.monitor),
        WeatherStage(
          client: provider.client, changeCount: provider.changeCount, now: MonotonicTime.now)),
      sinks: [sink])
  }

  /// Returns the gate that holds lookups while there is no path, with the delays of ``timing``.
  func gate(
    over monitor: PathMonitorClient, clock: any Clock<Duration> = ContinuousClock()
  ) -> ReachabilityGateRunner {
    ReachabilityGateRunner(monitor: monitor, timing: timing, clock: clock)
  }

  /// Runs the pipeline; observes `path` if no gate reports the path.
  private func run(
    _ manager: LocationManager, _ pipeline: LocationPipeline, path: PathMonitorClient?,
    notices: AsyncStream<String>? = nil
  ) async -> RunSummary {
    await withTaskGroup(of: Void.self) { group in
      if let path {
        group.addTask {
          for await path in path.networkPaths() { pipeline.submit(PathEvent(path)) }
        }
      }
      if let notices {
        group.addTask {
          for await text in notices {
            pipeline.submit(ErrorEvent(source: "weather store", message: text))
          }
        }
      }
      let summary = await PipelineRun(
        session: session, manager: manager, pipeline: pipeline, request: request,
        duration: duration, interruption: interruption
      ).run()
      group.cancelAll()
      return summary
    }
  }
}
