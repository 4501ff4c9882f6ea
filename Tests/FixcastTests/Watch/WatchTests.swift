// SPDX-License-Identifier: Apache-2.0

import Daemon
import FixcastTesting
import LocationServices
import PathMonitorClient
import Pipeline
import Positioning
import Receivers
import Testing
import WeatherClient
import WeatherClientLive
import WeatherFeature

@testable import fixcast

@Suite("The pipeline of watch", .timeLimit(.minutes(5)))
struct WatchTests {
  /// A source that reports a server, a receiver, one fix and a loss, then delivers nothing more.
  struct Mute: FixSource {
    let name = "mute"
    func run(delivering deliver: @escaping @Sendable (FixSourceEvent) -> Void) async throws(Never) {
      deliver(.connected(SourceServer(address: "here")))
      deliver(.receiver(ReceiverInfo(name: "mute", isActive: true)))
      deliver(.fix(.at(51, mode: .twoDimensional)))
      deliver(.lost(SourceLoss(.silent, receiver: "mute")))
      await Task.untilCancelled()
    }
  }

  final class Recorder: Sink {
    let name = "recorder"
    let events = EventRecorder<any PipelineEvent>()
    func receive(_ event: any PipelineEvent) async throws { events.record(event) }
  }

  /// Runs a watch until the sink's events satisfy the condition, and returns all events.
  private func run(
    _ weather: WeatherServiceConfiguration?, isAtBoard: Bool = true,
    until isEnough: @escaping @Sendable ([any PipelineEvent]) -> Bool
  ) async -> [any PipelineEvent] {
    let recorder = Recorder()
    var watch = Watch(session: SourceSession(Mute()), weather: weather)
    watch.isAtBoard = isAtBoard
    watch.interruption = { await recorder.events.wait(until: isEnough) }
    let summary = await watch.run(into: recorder)
    #expect(summary.sourceFailure == nil)
    return recorder.events.events
  }

  @Test func `if watch runs without weather, the sink gets the path and the source's events`() async {
    let events = await run(nil) { events in
      events.contains { $0 is PathEvent } && events.contains { $0 is LocationEvent }
        && events.contains { ($0 as? SourceEvent)?.error != nil }
    }
    let sourceEvents = events.compactMap { $0 as? SourceEvent }
    #expect(
      sourceEvents == [
        .connected(SourceServer(address: "here")),
        .receiver(ReceiverInfo(name: "mute", isActive: true)),
        .lost(SourceLoss(.silent, receiver: "mute"), source: "mute"),
      ])
    #expect(!events.contains { $0 is GateEvent || $0 is EnrichedEvent })
  }

  private static func weatherConfiguration(
    _ baseURL: String, store: String? = nil, sensors: String = "/nowhere"
  ) -> WeatherServiceConfiguration {
    var weatherConfiguration = WeatherServiceConfiguration(
      sources: [WeatherService.Source(OpenMeteo(baseURL: baseURL))], storePath: store)
    weatherConfiguration.sensors = IIOSensors(root: sensors)
    return weatherConfiguration
  }

  @Test func `without a network, watch passes the stored forecast, sun and moon to the sink`() async throws {
    let folder = try ScratchFolder()
    let path = folder.path + "/weather.sqlite"
    let server = try await DemoWeatherServer()
    _ = await run(Self.weatherConfiguration(server.baseURL, store: path)) {
      $0.contains { $0 is EnrichedEvent }
    }
    await server.stop()
    // No server is running at this URL. The URL differs from that of the stored reply, which is
    // therefore not reused.
    let events = await run(Self.weatherConfiguration("http://127.0.0.1:9", store: path)) { events in
      events.contains { ($0 as? OutlookEvent)?.outlook.reason != nil }
    }
    #expect(!events.contains { $0 is EnrichedEvent })
    let outlooks = events.compactMap { ($0 as? OutlookEvent)?.outlook }
    #expect(outlooks.allSatisfy { $0.resolved.almanac != nil })
    let best = try #require(outlooks.last?.resolved.best)
    #expect(best.provider == "openmeteo" && best.isSimulated)
    #expect(best.weather.temperatureDegreesCelsius != nil)
    #expect(outlooks.last?.reason?.hasPrefix("openmeteo (127.0.0.1:9): weather provider not reached: ") == true)
  }

  @Test func `watch uses the board's own sensor only if the source is at the board`() async throws {
    let folder = try ScratchFolder()
    try folder.write("iio:device0/name", "bme280\n")
    try folder.write("iio:device0/in_temp_input", "21500\n")
    try folder.write("iio:device0/in_humidityrelative_input", "45000\n")
    for isAtBoard in [true, false] {
      let weatherConfiguration = Self.weatherConfiguration("http://127.0.0.1:9", sensors: folder.path)
      let events = await run(weatherConfiguration, isAtBoard: isAtBoard) { events in
        events.contains { $0 is OutlookEvent }
      }
      let best = events.compactMap { ($0 as? OutlookEvent)?.outlook }.first?.resolved.best
      #expect(best?.kind == (isAtBoard ? .sensor : nil))
    }
  }

  @Test func `watch's gate applies the given return delay and the interval for expensive paths`() async {
    let clock = ManualClock()
    var watch = Watch(session: SourceSession(Mute()), weather: nil)
    watch.timing = ReachabilityGateTiming(releaseDelay: { .seconds(10) }, expensiveInterval: .seconds(60))
    let (paths, path) = AsyncStream.makeStream(of: NetworkPath.self)
    let gate = watch.gate(over: PathMonitorClient { paths }, clock: clock)
    let (passed, reports) = (EventRecorder<Location>(), EventRecorder<any PipelineEvent>())
    let (input, offer) = AsyncStream.makeStream(of: EnrichedLocation.self)
    async let run: Void = gate.run(input, pass: { passed.record($0.location) }, report: { reports.record($0) })
    @Sendable func waitUntilHeld(_ reason: String) async {
      await reports.wait {
        $0.contains { ($0 as? GateEvent)?.verdict == .holds(reason: reason) }
      }
    }
    path.yield(NetworkPath(status: .unsatisfied, reason: .noCarrier))
    await reports.wait(for: 1)
    offer.yield(EnrichedLocation(.at(1)))
    await waitUntilHeld("noCarrier")
    var costly = NetworkPath(status: .satisfied)
    costly.isExpensive = true
    path.yield(costly)
    for (reason, seconds, count) in [("returnDelay", 10, 1), ("expensive", 60, 2)] {
      await waitUntilHeld(reason)
      await clock.waitForSleepers(1)
      clock.advance(by: .seconds(seconds) - .nanoseconds(1))
      #expect(passed.events.count == count - 1)
      clock.advance(by: .nanoseconds(1))
      await passed.wait(for: count)
      offer.yield(EnrichedLocation(.at(2)))
    }
    offer.finish()
    await run
  }

  @Test func `watch gets the weather from the given server, through the gate`() async throws {
    let server = try await DemoWeatherServer()
    let events = await run(Self.weatherConfiguration(server.baseURL)) { events in
      events.contains { $0 is EnrichedEvent }
    }
    #expect(events.contains { $0 is PathEvent })
    let enriched = events.compactMap { $0 as? EnrichedEvent }.first?.value
    #expect(enriched?.enrichment(of: WeatherEnrichment.self)?.report.isSimulated == true)
    await server.stop()
  }
}
