// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import LocationServices
import Pipeline
import Positioning
import Synchronization
import Testing
import WeatherClient
import WeatherFeature

@Suite("Weather and place stages", .timeLimit(.minutes(5)))
struct StagesTests {
  private func run(
    _ stage: some Stage, _ latitudes: [Double]
  ) async -> (values: [EnrichedLocation], reports: [any PipelineEvent]) {
    let (input, continuation) = AsyncStream.makeStream(of: EnrichedLocation.self)
    for latitude in latitudes {
      continuation.yield(EnrichedLocation(.at(latitude)))
    }
    continuation.finish()
    let result = Mutex<(values: [EnrichedLocation], reports: [any PipelineEvent])>(([], []))
    try? await stage.run(
      input, deliver: { value in result.withLock { $0.values.append(value) } },
      report: { event in result.withLock { $0.reports.append(event) } })
    return result.withLock { $0 }
  }

  private let now: @Sendable () -> MonotonicTime = { MonotonicTime(nanoseconds: 7) }

  @Test func `the weather stage makes one lookup for nearby locations, and sets receivedAt`() async {
    let (values, reports) = await run(
      WeatherStage(client: .happyPath, policy: LookupPolicy(minimumIntervalSeconds: 0), now: now),
      [51.5, 51.5001, 52.5])
    let weatherReports = values.compactMap { $0.enrichment(of: WeatherEnrichment.self)?.report }
    #expect(weatherReports.map(\.coordinate) == [.at(51.5, 0), .at(52.5, 0)])
    #expect(weatherReports.allSatisfy { $0.receivedAt == now() })
    #expect(reports.compactMap { $0 as? LookupEvent } == [.asked, .answered, .asked, .answered])
    #expect(reports.count == 4)
  }

  @Test func `the weather stage reports a failed lookup, and delivers no location without weather`() async {
    let (values, reports) = await run(
      WeatherStage(client: .failed, policy: LookupPolicy(minimumIntervalSeconds: 60), now: now), [1, 2])
    #expect(values.isEmpty)
    #expect(reports.compactMap { $0 as? LookupEvent } == [.asked, .failed, .postponed, .abandoned])
    #expect(reports.compactMap { ($0 as? ErrorEvent)?.source } == ["weather"])
    #expect(reports.compactMap { ($0 as? LookupFailureEvent)?.retryAfterSeconds } == [60])
  }

  @Test func `the weather stage starts no lookup during a pause that a provider requested`() async {
    let attempts = Mutex<[Int64]>([])
    let seconds = Mutex<Int64>(0)
    // The clock advances by a minute each time it is read.
    let now: @Sendable () -> MonotonicTime = {
      MonotonicTime(nanoseconds: seconds.withLock { $0 } * 1_000_000_000)
    }
    var client = WeatherClient.empty
    client.weather = { _ throws(WeatherError) in
      attempts.withLock { $0.append(seconds.withLock { $0 }) }
      throw .rateLimited(retryAfterSeconds: 150, reason: nil)
    }
    let (input, continuation) = AsyncStream.makeStream(of: EnrichedLocation.self)
    let stage = WeatherStage(
      client: client, policy: LookupPolicy(minimumIntervalSeconds: 60),
      now: {
        defer { seconds.withLock { $0 += 60 } }
        return now()
      })
    for _ in 1...7 { continuation.yield(EnrichedLocation(.at(1))) }
    continuation.finish()
    await stage.run(input, deliver: { _ in }, report: { _ in })
    // The stage reads the clock once per location and once per answer.
    #expect(attempts.withLock { $0 } == [60, 300, 540])
  }

  @Test func `the weather stage looks up the newest waiting location as soon as a lookup is due`() async {
    let clock = RecordingClock()
    let now: @Sendable () -> MonotonicTime = {
      let (seconds, attoseconds) = clock.now.offset.components
      return MonotonicTime(nanoseconds: seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
    }
    let lookups = EventRecorder<Double>()
    var client = WeatherClient.happyPath
    let lookUp = client.weather
    client.weather = { query throws(WeatherError) in
      if case .coordinate(let coordinate) = query { lookups.record(coordinate.latitudeDegrees) }
      return try await lookUp(query)
    }
    let (locations, continuation) = AsyncStream.makeStream(of: EnrichedLocation.self)
    // The stage requests the next location only after handling the previous location.
    let requestedLocations = EventRecorder<Int>()
    let input = AsyncStream<EnrichedLocation> {
      requestedLocations.record(requestedLocations.events.count + 1)
      var next = locations.makeAsyncIterator()
      return await next.next()
    }
    let delivered = EventRecorder<EnrichedLocation>()
    let reports = EventRecorder<LookupEvent>()
    let stage = WeatherStage(client: client, clock: clock, now: now)
    async let run: Void = stage.run(
      input, deliver: { delivered.record($0) },
      report: { event in if let event = event as? LookupEvent { reports.record(event) } })
    func move(to latitude: Double) {
      continuation.yield(EnrichedLocation(.at(latitude)))
    }
    move(to: 1)
    await delivered.wait(for: 1)
    move(to: 2)
    await clock.deadlines.wait { $0 == [.seconds(60)] }
    clock.base.advance(by: .seconds(10))
    move(to: 3)
    await requestedLocations.wait { $0.last == 4 }
    clock.base.advance(by: .nanoseconds(50_000_000_000 - 1))
    #expect(lookups.events == [1])
    clock.base.advance(by: .nanoseconds(1))
    await delivered.wait(for: 2)
    #expect(lookups.events == [1, 3])
    // Both locations waited for the same timer.
    #expect(clock.deadlines.events == [.seconds(60)])
    // The location is near the last answer, so the next lookup is due when the answer expires.
    move(to: 3.001)
    await clock.deadlines.wait { $0.last == .seconds(60 + 1800) }
    // The run ends with the input, without waiting for the next lookup.
    continuation.finish()
    await run
    #expect(lookups.events == [1, 3])
    #expect(reports.events == [.asked, .answered, .postponed, .asked, .answered])
  }

  @Test func `a change of the clock, path or certificates ends the client's back-off at the next location`() async {
    let clock = RecordingClock()
    let now = clock.readings()
    let changeCount = Mutex<UInt64>(0)
    let lookups = EventRecorder<MonotonicTime>()
    var client = WeatherClient.happyPath
    let lookUp = client.weather
    client.weather = { query throws(WeatherError) in
      lookups.record(now())
      guard lookups.events.count > 1 else {
        throw .notDue(afterSeconds: 3000, reason: "back-off")
      }
      return try await lookUp(query)
    }
    let (input, continuation) = AsyncStream.makeStream(of: EnrichedLocation.self)
    let delivered = EventRecorder<EnrichedLocation>()
    let stage = WeatherStage(client: client, clock: clock, changeCount: { changeCount.withLock { $0 } }, now: now)
    async let run: Void = stage.run(input, deliver: { delivered.record($0) }, report: { _ in })
    func move() { continuation.yield(EnrichedLocation(.at(1))) }
    move()
    await lookups.wait(for: 1)
    clock.base.advance(by: .seconds(5))
    move()
    // The stage waits for the end of the back-off.
    await clock.deadlines.wait { !$0.isEmpty }
    #expect(lookups.events.count == 1)
    changeCount.withLock { $0 += 1 }
    move()
    // The stage handles the last location before the end of the input.
    continuation.finish()
    await run
    #expect(delivered.events.count == 1)
    #expect(lookups.events.map { $0.seconds(since: .at(0)) } == [0, 5])
  }

  @Test func `the place stage delivers every location, with the place if a place is known`() async {
    let withPlace = await run(PlaceStage(client: .happyPath), [1])
    #expect(withPlace.values.map { $0.enrichment(of: PlaceEnrichment.self)?.place.title } == ["New York"])
    let withoutPlace = await run(PlaceStage(client: .empty), [1])
    #expect(withoutPlace.values.count == 1)
    #expect(withoutPlace.values.allSatisfy { $0.enrichment(of: PlaceEnrichment.self) == nil })
    let failed = await run(PlaceStage(client: .failed), [1])
    #expect(failed.values.count == 1 && failed.reports.count == 1)
  }
}
