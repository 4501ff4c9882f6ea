// SPDX-License-Identifier: Apache-2.0

import Bridge
import FixcastTesting
import Pipeline
import Positioning
import Receivers
import Testing
import WeatherClient
import WeatherFeature

@Suite("A watch", .timeLimit(.minutes(1)))
struct WatchTests {
  /// Tells of itself and delivers one fix, then goes on without a word.
  struct Mute: FixSource {
    let name = "mute"
    func run(
      delivering deliver: @escaping @Sendable (FixSourceEvent) -> Void
    ) async throws(Never) {
      deliver(.connected(SourceServer(address: "here")))
      deliver(.receiver(ReceiverInfo(name: "mute", isActive: true)))
      var fix = Fix(mode: .twoDimensional)
      fix.coordinate = .at(51, 0)
      deliver(.fix(fix))
      deliver(.lost(SourceLoss(.silent, receiver: "mute")))
      let (endless, continuation) = AsyncStream.makeStream(of: Never.self)
      for await _ in endless {}
      withExtendedLifetime(continuation) {}
    }
  }

  final class Recorder: Sink {
    let name = "recorder"
    let events = EventRecorder<any PipelineEvent>()
    func receive(_ event: any PipelineEvent) async throws { events.record(event) }
  }

  /// Runs until the sink has heard enough; all that it heard.
  private func run(
    _ weather: Watch.Weather,
    until isEnough: @escaping @Sendable ([any PipelineEvent]) -> Bool
  ) async -> [any PipelineEvent] {
    let recorder = Recorder()
    var watch = Watch(
      session: SourceSession(source: Mute(), counters: { NMEACounters() }), weather: weather)
    watch.interruption = { await recorder.events.wait(until: isEnough) }
    let summary = await watch.run(into: recorder)
    #expect(summary.sourceFailure == nil)
    return recorder.events.events
  }

  @Test("shows the path though nobody is asked for weather, and what the source says of itself")
  func withoutWeather() async {
    let events = await run(.nobody) { events in
      events.contains { $0 is PathEvent } && events.contains { $0 is LocationEvent }
        && events.contains { ($0 as? SourceEvent)?.error != nil }
    }
    let said = events.compactMap { $0 as? SourceEvent }
    #expect(
      said == [
        .connected(SourceServer(address: "here")),
        .receiver(ReceiverInfo(name: "mute", isActive: true)),
        .lost(SourceLoss(.silent, receiver: "mute"), source: "mute"),
      ])
    #expect(!events.contains { $0 is GateEvent || $0 is EnrichedEvent })
  }

  @Test("asks the server that it is given, behind the gate")
  func withWeather() async throws {
    let (addresses, address) = AsyncStream.makeStream(of: String.self)
    let server = Task { try await DemoWeatherServer().run { address.yield($0) } }
    var iterator = addresses.makeAsyncIterator()
    let baseURL = try #require(await iterator.next())
    let events = await run(.server(baseURL)) { events in
      events.contains { $0 is EnrichedEvent }
    }
    #expect(events.contains { $0 is PathEvent })
    let enriched = events.compactMap { $0 as? EnrichedEvent }.first?.value
    #expect(enriched?.found(WeatherEnrichment.self)?.report.isSimulated == true)
    server.cancel()
    _ = await server.result
  }
}
