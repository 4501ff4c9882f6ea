// SPDX-License-Identifier: Apache-2.0

internal import Daemon
import FoundationEssentials
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

/// Everything but the antenna, without hardware, network or root.
///
/// A simulated receiver on a pseudo-terminal, opened as a USB dongle would be, through
/// authorization, pipeline, reachability and weather. Halfway, a script withdraws the path to the
/// provider, so that the gate can be seen to hold and to release.
struct Demo: Sendable {
  /// How long it runs.
  var duration: Duration
  /// The real provider that is asked instead of the demo's own, within all the rules that hold for
  /// the board; `nil` for the demo's own.
  var live: WeatherServiceConfiguration?
  /// For how long the path is withdrawn.
  var withdrawal: Duration = .seconds(3)
  /// Returns when it is to end before its time; what was done so far is still told.
  var interruption: @Sendable () async -> Void = { await PipelineRun.untilCancelled() }

  /// Makes a demo.
  ///
  /// - Parameters:
  ///   - duration: How long it runs.
  ///   - live: The real provider that is asked; `nil` for the demo's own.
  init(duration: Duration, live: WeatherServiceConfiguration?) {
    self.duration = duration
    self.live = live
  }

  /// Runs to its end.
  ///
  /// Throws where there is no pseudo-terminal or no port to be had.
  func run(
    into sink: any Sink, factory: SourceFactory = .system,
    say: @escaping @Sendable (String) -> Void = { _ in }
  ) async throws -> RunSummary {
    let session = SourceSession(try factory.simulated())
    say("Receiver   simulated, on \(session.source.name)")
    if let live {
      let baseURL = live.sources.first?.baseURL ?? ""
      say("Weather    the real \(baseURL), non-commercial use only")
      let client = WeatherClient.live(live.service { say("Store      \($0)") })
      return await run(
        session, client, baseURLs: live.sources.map(\.baseURL), policy: LookupPolicy(), into: sink,
        say: say)
    }
    let server = try await DemoWeatherServer()
    say("Weather    simulated, Open-Meteo's protocol on \(server.baseURL)")
    let client = WeatherClient.openMeteo(
      OpenMeteo(baseURL: server.baseURL), deadline: .seconds(10)
    ).withPlaces()
    // Its own provider may be asked every other second; a real one must not.
    let policy = LookupPolicy(maximumAgeSeconds: 30, distanceMeters: 25, minimumIntervalSeconds: 2)
    let summary = await run(
      session, client, baseURLs: [server.baseURL], policy: policy, into: sink, say: say)
    await server.stop()
    return summary
  }

  private func run(
    _ session: SourceSession, _ client: WeatherClient, baseURLs: [String], policy: LookupPolicy,
    into sink: any Sink, say: @escaping @Sendable (String) -> Void
  ) async -> RunSummary {
    let halfway = duration / 2
    // Whatever is held is to be seen released.
    let withdrawal = min(withdrawal, halfway - .seconds(1))
    let monitor = PathMonitorClient.withdrawing(
      .live(toAnyOf: baseURLs), after: halfway, for: withdrawal)
    say(
      "Script     the path to the provider is withdrawn \(seconds(halfway)) s in, "
        + "for \(seconds(withdrawal)) s; that is not real")
    let pipeline = LocationPipeline(
      gates: [ReachabilityGateRunner(monitor: monitor)],
      stages: [
        WeatherStage(client: client, policy: policy, now: MonotonicTime.now),
        PlaceStage(client: client),
      ], sinks: [sink])
    let run = PipelineRun(
      session: session,
      manager: LocationManager(policy: AllowAll(), purpose: "Show the way of a fix"),
      pipeline: pipeline,
      duration: duration, interruption: interruption)
    return await run.run()
  }

  private func seconds(_ duration: Duration) -> Double { duration / .seconds(1) }
}
