// SPDX-License-Identifier: Apache-2.0

import Daemon
import FixcastTesting
import Foundation
import LocationServices
import PathMonitorClient
import Pipeline
import Positioning
import Receivers
import Synchronization
import Testing
import WeatherClient
import WeatherFeature

@testable import fixcast

@Suite("A fix from source to sink", .timeLimit(.minutes(5)))
struct WholeWayTests {
  final class Collector: Sink {
    let name = "collector"
    let arrivals: AsyncStream<any PipelineEvent>
    private let arrival: AsyncStream<any PipelineEvent>.Continuation
    private let all = Mutex<[any PipelineEvent]>([])
    var events: [any PipelineEvent] { all.withLock { $0 } }
    init() { (arrivals, arrival) = AsyncStream.makeStream() }
    func receive(_ event: any PipelineEvent) async throws {
      all.withLock { $0.append(event) }
      arrival.yield(event)
    }
  }

  /// Delivers fixes as fast as possible, then fails if `failsAtEnd` is set.
  struct Burst: FixSource {
    struct Broken: Error, CustomStringConvertible { var description: String { "unplugged" } }
    let name = "burst"
    var count: Int
    var failsAtEnd = false
    var waitForConsumers: @Sendable () async -> Void = {}
    func run(delivering deliver: @escaping @Sendable (FixSourceEvent) -> Void) async throws(Broken) {
      for index in 0..<count {
        deliver(.fix(index % 10 == 9 ? Fix(mode: .none) : .at(51 + Double(index) / 1e6, mode: .twoDimensional)))
        if index % 4096 == 4095 { await waitForConsumers() }
      }
      if failsAtEnd { throw Broken() }
    }
  }

  private func factory(_ source: Burst) -> SourceFactory {
    SourceFactory(
      simulated: { source },
      replay: { _, _, waitForConsumers in
        var source = source
        source.waitForConsumers = waitForConsumers
        return source
      })
  }

  @Test func `an immediate replay of 200,000 fixes delivers every location once and in order`() async throws {
    let sink = Collector()
    let summary = try await Replay(file: "x", pace: .immediate, weatherURL: nil)
      .run(into: sink, factory: factory(Burst(count: 200_000)))
    #expect(summary.pipeline.locations == 180_000)
    #expect(summary.pipeline.dropped == 0 && summary.droppedLocations == 0)
    let latitudes = sink.events.compactMap {
      ($0 as? LocationEvent)?.location.coordinate.latitudeDegrees
    }
    #expect(latitudes.count == 180_000)
    #expect(zip(latitudes, latitudes.dropFirst()).allSatisfy { $0 < $1 })
    #expect(summary.sourceFailure == nil)
  }

  @Test func `a log far longer than the queues reaches a slow sink completely`() async throws {
    /// A sink that is far slower than the source and only counts events.
    actor SlowCount: Sink {
      nonisolated let name = "slow"
      var count = 0
      func receive(_ event: any PipelineEvent) async throws {
        guard event is LocationEvent else { return }
        count += 1
        if count % 64 == 0 { for _ in 0..<100 { await Task.yield() } }
      }
    }
    let url = FileManager.default.temporaryDirectory.appending(path: "fixcast-\(UUID()).log")
    defer { try? FileManager.default.removeItem(at: url) }
    var log = ""
    for second in 0..<30_000 {
      func padded(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
      let time = padded(second / 3600) + padded(second / 60 % 60) + padded(second % 60)
      let body = "GPGLL,5405.6081,N,01049.4791,E,\(time),A,A"
      let sum = String(body.utf8.reduce(0, ^), radix: 16, uppercase: true)
      log += "$\(body)*\(sum.count < 2 ? "0" : "")\(sum)\r\n"
    }
    try Data(log.utf8).write(to: url)
    let sink = SlowCount()
    let summary = try await Replay(file: url.path, pace: .immediate, weatherURL: nil)
      .run(into: sink)
    #expect(summary.input.fixes == 30_000 && summary.pipeline.locations == 30_000)
    #expect(summary.pipeline.dropped == 0 && summary.droppedLocations == 0)
    #expect(await sink.count == 30_000)
  }

  @Test func `a replay ends when its only sink has failed, even if the source continues`() async throws {
    struct Closed: Sink {
      struct Failure: Error {}
      let name = "closed"
      func receive(_ event: any PipelineEvent) async throws { throw Failure() }
    }
    struct Endless: FixSource {
      let name = "endless"
      func run(delivering deliver: @escaping @Sendable (FixSourceEvent) -> Void) async throws(Never) {
        deliver(.fix(Fix(mode: .none)))
        await Task.untilCancelled()
      }
    }
    let summary = try await Replay(file: "x", pace: .recorded, weatherURL: nil).run(
      into: Closed(),
      factory: SourceFactory(simulated: { Endless() }, replay: { _, _, _ in Endless() }))
    #expect(summary.pipeline.failedSinks == 1 && summary.sourceFailure == nil)
  }

  @Test func `the failure of a source is reported after the fixes that preceded the failure`() async throws {
    let sink = Collector()
    let summary = try await Replay(file: "x", pace: .immediate, weatherURL: nil)
      .run(into: sink, factory: factory(Burst(count: 5, failsAtEnd: true)))
    #expect(summary.pipeline.locations == 5)
    #expect(summary.sourceFailure == "unplugged")
  }

  @Test func `a replay looks up the weather at the given provider`() async throws {
    let server = try await DemoWeatherServer()
    let sink = Collector()
    let summary = try await Replay(file: "x", pace: .immediate, weatherURL: server.baseURL)
      .run(into: sink, factory: factory(Burst(count: 50)))
    // The replay may end before the path is known. There is one lookup, for the newest location at
    // that time, since later locations are too near for another lookup.
    #expect(summary.pipeline.enriched == 1 && summary.pipeline.errors == 0)
    #expect(summary.pipeline.lookupsAsked == 1 && summary.pipeline.lookupsAnswered == 1)
    let enriched = sink.events.compactMap { ($0 as? EnrichedEvent)?.value.location.coordinate }
    #expect(enriched.count == 1)
    #expect(enriched.allSatisfy { (51...51 + 48.0 / 1e6).contains($0.latitudeDegrees) })
    await server.stop()
  }

  @Test func `the demo shows simulated fixes and weather, with locations held and released by the gate`() async throws {
    let sink = Collector()
    var demo = Demo(duration: .seconds(8), live: nil)
    demo.outage = .seconds(2)
    let clock = ManualClock()
    demo.clock = clock
    // Each step waits for what the previous one has caused, not for a time.
    demo.interruption = {
      var arrivals = sink.arrivals.makeAsyncIterator()
      func wait(until isExpected: (any PipelineEvent) -> Bool) async {
        while let event = await arrivals.next(), !isExpected(event) {}
      }
      await wait { ($0 as? EnrichedEvent)?.value.enrichment(of: WeatherEnrichment.self)?.report != nil }
      for step: (delay: Duration, verdict: Verdict) in [
        (.seconds(4), .holds(reason: "noDefaultRoute")), (.seconds(2), .passes),
      ] {
        await clock.waitForSleepers(2)
        clock.advance(by: step.delay)
        await wait { ($0 as? GateEvent)?.verdict == step.verdict }
      }
    }
    let messages = Mutex<[String]>([])
    let summary = try await demo.run(into: sink, printMessage: { line in messages.withLock { $0.append(line) } })
    #expect(summary.input.fixes >= 2 && summary.pipeline.locations >= 2)
    #expect(summary.pipeline.enriched >= 1)
    #expect(summary.pipeline.held >= 1)
    let events = sink.events
    #expect((events.first as? AuthorizationEvent)?.authorization.status == .notDetermined)
    let locations = events.compactMap { ($0 as? LocationEvent)?.location }
    #expect(locations.allSatisfy { $0.isSimulated })
    let reports = events.compactMap {
      ($0 as? EnrichedEvent)?.value.enrichment(of: WeatherEnrichment.self)?.report
    }
    #expect(reports.allSatisfy { $0.isSimulated } && !reports.isEmpty)
    #expect(events.contains { ($0 as? PathEvent)?.path.isScripted == true })
    let verdicts = events.compactMap { ($0 as? GateEvent)?.verdict }
    #expect(verdicts.suffix(2) == [.holds(reason: "noDefaultRoute"), .passes])
    #expect(messages.withLock { $0.contains { $0.contains("simulated outage") } })
  }
}
