// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import LocationServices
import Pipeline
import Positioning
import Synchronization
import Testing
import WeatherClient
import WeatherClientLive
import WeatherFeature

@testable import Daemon

@Suite("The daemon's word on the weather without a provider", .timeLimit(.minutes(5)))
struct OutlookReporterTests {
  private struct Recorder: Sink {
    let name = "recorder"
    let seen: EventRecorder<OutlookEvent>
    func receive(_ event: any PipelineEvent) async throws {
      if let event = event as? OutlookEvent { seen.record(event) }
    }
  }

  private static let inquiry = WeatherInquiry(
    service: WeatherService(sources: [], storePath: nil),
    sensors: IIOSensors(root: "/nonexistent"),
    utcNow: { UTCTime(secondsSince1970: 1_795_262_400) }, now: { MonotonicTime(nanoseconds: 0) })

  private struct Order: Sink {
    let name = "order"
    let words: EventRecorder<String>
    func receive(_ event: any PipelineEvent) async throws {
      switch event {
      case let event as AuthorizationEvent: words.record("\(event.authorization.status)")
      case let event as OutlookEvent:
        words.record("\(event.outlook.coordinate.latitudeDegrees)")
      default: break
      }
    }
  }

  @Test("comes behind no word that it was not known under")
  func overtaken() async {
    let words = EventRecorder<String>()
    let pipeline = LocationPipeline(sinks: [Order(words: words)])
    let running = Task { await pipeline.run() }
    let feeder = PipelineFeeder(pipeline)
    func tell(_ latitude: Double, under authorization: Authorization?) {
      feeder.tell(
        OutlookEvent(WeatherOutlook(coordinate: .at(latitude, 10))), under: authorization)
    }
    let full = Authorization(.authorizedAlways)
    tell(1, under: nil)
    feeder.locationManagerDidChangeAuthorization(
      LocationManager(policy: AllowAll(initially: .authorizedAlways), purpose: "test"))
    tell(2, under: full)
    tell(3, under: Authorization(.authorizedAlways, accuracy: .reducedAccuracy))
    tell(4, under: nil)
    feeder.locationManagerDidChangeAuthorization(
      LocationManager(policy: DenyAll(initially: .denied), purpose: "test"))
    tell(5, under: full)
    tell(6, under: Authorization(.denied))
    pipeline.finish()
    _ = await running.value
    #expect(words.events == ["1.0", "authorizedAlways", "2.0", "4.0", "denied"])
  }

  @Test(
    "names the clock where a provider's answer is of another time, until a lookup fails",
    arguments: [
      (
        -86_400 * 30, "the clock is 720.0 h ahead of faulty's report: set the clock, or ask another"
      ),
      (3600 * 5, "the clock is 5.0 h behind faulty's report: set the clock"),
    ] as [(Int64, String)])
  func wrongClock(seconds: Int64, reason: String) async throws {
    let (told, tell) = AsyncStream.makeStream(of: OutlookEvent.self)
    let reporter = OutlookReporter(
      Self.inquiry, isHere: true, now: { MonotonicTime(nanoseconds: 0) },
      tell: { outlook, _ in tell.yield(outlook) })
    let location = SceneEvents.location(at: 1).location
    try await reporter.receive(LocationEvent(location))
    var report = WeatherReport(
      coordinate: location.coordinate, provider: "faulty", kind: .forecast)
    report.validAt = UTCTime(secondsSince1970: 1_795_262_400 + seconds)
    var value = EnrichedLocation(location)
    value.add(WeatherEnrichment(report))
    try await reporter.receive(EnrichedEvent(value))
    try await reporter.receive(ErrorEvent(source: "weather", message: "no answer"))
    tell.finish()
    var reasons: [String?] = []
    for await event in told { reasons.append(event.outlook.reason) }
    #expect(reasons == [nil, reason, "no answer"])
  }

  @Test("goes to all sinks, and is never the cause of another")
  func loop() async throws {
    let seconds = Mutex<Int64>(0)
    let seen = EventRecorder<OutlookEvent>()
    let (told, tell) = AsyncStream.makeStream(of: OutlookEvent.self)
    let heard = EventRecorder<Void>()
    // More than a minute passes with each event: each would be due.
    let reporter = OutlookReporter(
      Self.inquiry, isHere: true,
      now: {
        MonotonicTime(
          nanoseconds: seconds.withLock { seconds in
            seconds += 61
            return seconds * 1_000_000_000
          })
      }, note: { if $0 is OutlookEvent { heard.record(()) } },
      tell: { event, _ in tell.yield(event) })
    let pipeline = LocationPipeline(sinks: [reporter, Recorder(seen: seen)])
    let running = Task { await pipeline.run() }
    let feeding = Task { for await event in told { pipeline.submit(event) } }
    for number in 1...3 {
      pipeline.submit(SceneEvents.location(at: Double(number)).location)
      await seen.wait(for: number)
      await heard.wait(for: number)
    }
    pipeline.finish()
    _ = await running.value
    tell.finish()
    await feeding.value
    #expect(seen.events.count == 3)
    #expect(seen.events.allSatisfy { $0.outlook.ladder.almanac != nil })
  }
}
