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

/// Everything live: a source through the whole pipeline, with the path and the weather.
struct Watch: Sendable {
  /// Where fixes come from.
  var session: SourceSession
  /// Who is asked for the weather; `nil` for nobody.
  var weather: WeatherServiceConfiguration?
  /// Whether the source tells where the board itself is, so that its own sensors have a say.
  var isHere = true
  /// Who decides whether it may be shown.
  ///
  /// Whoever watches at the board's own terminal has been asked and has answered.
  var policy: any AuthorizationPolicy = AllowAll(initially: .authorizedAlways)
  /// What for, in words for whoever decides.
  var purpose = "Show where the board is, live"
  /// What is asked for where nobody has decided, as again after a grant is over.
  var request = AuthorizationRequest.always
  /// After how long it ends; `nil` for not by itself.
  var duration: Duration?
  /// How long a lookup waits although there is a way for it: after a loss up to half a minute by
  /// default, so that boards behind one network do not ask all at the same moment.
  var timing: ReachabilityGateTiming = .jittered()
  /// Returns when it is to end before its time.
  var interruption: @Sendable () async -> Void = { await PipelineRun.untilCancelled() }

  /// Makes a watch.
  ///
  /// - Parameters:
  ///   - session: Where fixes come from.
  ///   - weather: Who is asked for the weather; `nil` for nobody.
  ///   - duration: After how long it ends; `nil` for not by itself.
  init(session: SourceSession, weather: WeatherServiceConfiguration?, duration: Duration? = nil) {
    self.session = session
    self.weather = weather
    self.duration = duration
  }

  /// Runs until the source ends, the time is over, it is interrupted, or the sink has failed.
  func run(into sink: any Sink) async -> RunSummary {
    let manager = LocationManager(policy: policy, purpose: purpose)
    guard let weather else {
      return await run(manager, LocationPipeline(sinks: [sink]), path: .live())
    }
    let (notices, notice) = AsyncStream.makeStream(
      of: String.self, bufferingPolicy: .bufferingNewest(16))
    let (service, provider) = weather.path { notice.yield($0) }
    let weatherQueries = weather.weatherQueries(service)
    let pipeline = LocationPipeline(
      gates: [gate(over: provider.monitor)],
      stages: [
        WeatherStage(client: provider.client, now: MonotonicTime.now),
        PlaceStage(client: provider.client),
      ],
      sinks: [OutlookSink(sink, weatherQueries: weatherQueries, isHere: isHere)])
    return await run(manager, pipeline, path: nil, notices: notices)
  }

  /// What keeps lookups back, by ``timing``.
  func gate(
    over monitor: PathMonitorClient, clock: any Clock<Duration> = ContinuousClock()
  ) -> ReachabilityGateRunner {
    ReachabilityGateRunner(monitor: monitor, timing: timing, clock: clock)
  }

  /// Runs it; a path is followed where no gate tells of it.
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
