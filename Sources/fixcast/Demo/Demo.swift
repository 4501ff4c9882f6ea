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

/// The demonstration of the whole program without hardware, network or root permissions.
///
/// Opens a simulated receiver on a pseudo-terminal like a USB receiver and passes its fixes through
/// authorization, pipeline, reachability and weather. Halfway through, a simulated network outage
/// shows how the gate holds and releases locations.
struct Demo: Sendable {
  /// The run time.
  var duration: Duration
  /// The configuration for a real provider, with the board's limits; `nil` for a simulated one.
  var live: WeatherServiceConfiguration?
  /// The duration of the simulated outage.
  var outage: Duration = .seconds(3)
  /// Measures the run time and the simulated outage.
  var clock: any Clock<Duration> = ContinuousClock()
  /// Returns when the demo is to stop early; the summary is still printed.
  var interruption: @Sendable () async -> Void = { await PipelineRun.untilCancelled() }

  /// Creates a demo that runs for `duration`; with `live` set to `nil`, the provider is simulated.
  init(duration: Duration, live: WeatherServiceConfiguration?) {
    self.duration = duration
    self.live = live
  }

  /// Runs the demo and returns its summary.
  ///
  /// - Throws: The error of opening the pseudo-terminal or the weather server's port.
  func run(
    into sink: any Sink, factory: SourceFactory = .system,
    printMessage: @escaping @Sendable (String) -> Void = { _ in }
  ) async throws -> RunSummary {
    let session = SourceSession(try factory.simulated())
    printMessage("Receiver   simulated, on \(session.source.name)")
    if let live {
      let baseURL = live.sources.first?.baseURL ?? ""
      printMessage("Weather    the real \(baseURL), non-commercial use only")
      let client = WeatherClient.live(live.service { printMessage("Store      \($0)") })
      return await run(
        session, client, baseURLs: live.sources.map(\.baseURL), policy: LookupPolicy(), into: sink,
        printMessage: printMessage)
    }
    let server = try await DemoWeatherServer()
    printMessage("Weather    simulated, Open-Meteo's protocol on \(server.baseURL)")
    let client = WeatherClient.openMeteo(
      OpenMeteo(baseURL: server.baseURL), deadline: .seconds(10))
    // The simulated provider allows a request every two seconds; a real one does not.
    let policy = LookupPolicy(maximumAgeSeconds: 30, distanceMeters: 25, minimumIntervalSeconds: 2)
    let summary = await run(
      session, client, baseURLs: [server.baseURL], policy: policy, into: sink,
      printMessage: printMessage)
    await server.stop()
    return summary
  }

  private func run(
    _ session: SourceSession, _ client: WeatherClient, baseURLs: [String], policy: LookupPolicy,
    into sink: any Sink, printMessage: @escaping @Sendable (String) -> Void
  ) async -> RunSummary {
    let halfway = duration / 2
    // The outage ends at least a second before the demo, so that held locations are released.
    let outage = min(outage, halfway - .seconds(1))
    let monitor = PathMonitorClient.simulatingOutage(
      .live(toAnyOf: baseURLs), after: halfway, for: outage, clock: clock)
    printMessage(
      "Script     simulated outage of the path to the provider after \(seconds(halfway)) s, "
        + "for \(seconds(outage)) s")
    let run = PipelineRun(
      session: session,
      manager: LocationManager(policy: AllowAll(), purpose: "Demonstrate Fixcast"),
      pipeline: Self.pipeline(client, monitor, policy: policy, sink: sink),
      duration: duration, clock: clock, interruption: interruption)
    return await run.run()
  }

  /// Returns the pipeline with lookups by a client, over a monitored path.
  static func pipeline(
    _ client: WeatherClient, _ monitor: PathMonitorClient, policy: LookupPolicy, sink: any Sink
  ) -> LocationPipeline {
    LocationPipeline(
      branch: WeatherBranch.plugins(
        PlaceStage(client: client), ReachabilityGateRunner(monitor: monitor),
        WeatherStage(client: client, policy: policy, now: MonotonicTime.now)),
      sinks: [sink])
  }

  private func seconds(_ duration: Duration) -> Double { duration / .seconds(1) }
}
