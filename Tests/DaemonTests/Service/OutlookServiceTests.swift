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

@Suite("Weather outlooks of the daemon", .timeLimit(.minutes(5)))
struct OutlookServiceTests {
  private struct Recorder: Sink {
    let name = "recorder"
    let seen: EventRecorder<OutlookEvent>
    func receive(_ event: any PipelineEvent) async throws {
      if let event = event as? OutlookEvent { seen.record(event) }
    }
  }

  private static let weatherQueries = WeatherQueries(
    service: WeatherService(sources: [], storePath: nil),
    sensors: IIOSensors(root: "/nonexistent"),
    utcNow: { .noon }, now: { .at(0) })

  private static func lookups(_ generation: Int64) -> OutlookService.Lookups {
    .init(weatherQueries: weatherQueries, isAtBoard: true, generation: generation)
  }

  /// A service with the lookups of generation 1.
  private static func service(publish: @escaping @Sendable (OutlookEvent, Authorization?) -> Void) -> OutlookService {
    let service = OutlookService(now: { .at(0) }, publish: publish)
    _ = service.begin(lookups(1))
    return service
  }

  private struct Order: Sink {
    let name = "order"
    let events: EventRecorder<String>
    func receive(_ event: any PipelineEvent) async throws {
      switch event {
      case let event as AuthorizationEvent: events.record("\(event.authorization.status)")
      case let event as OutlookEvent:
        events.record("\(event.outlook.coordinate.latitudeDegrees)")
      default: break
      }
    }
  }

  @Test func `a weather outlook that became due under another authorization is not published`() async {
    let events = EventRecorder<String>()
    let pipeline = LocationPipeline(sinks: [Order(events: events)])
    let running = Task { await pipeline.run() }
    let pipelineInput = LocationPipelineInput(pipeline)
    func submit(_ latitude: Double, under authorization: Authorization?) {
      pipelineInput.submit(OutlookEvent(WeatherOutlook(coordinate: .at(latitude, 10))), under: authorization)
    }
    let full = Authorization(.authorizedAlways)
    submit(1, under: nil)
    pipelineInput.locationManagerDidChangeAuthorization(
      LocationManager(policy: AllowAll(initially: .authorizedAlways), purpose: "test"))
    submit(2, under: full)
    submit(3, under: Authorization(.authorizedAlways, accuracy: .reducedAccuracy))
    submit(4, under: nil)
    pipelineInput.locationManagerDidChangeAuthorization(
      LocationManager(policy: DenyAll(initially: .denied), purpose: "test"))
    submit(5, under: full)
    submit(6, under: Authorization(.denied))
    pipeline.finish()
    _ = await running.value
    #expect(events.events == ["1.0", "authorizedAlways", "2.0", "4.0", "denied"])
  }

  @Test(
    arguments: [
      (-86_400 * 30, "the clock is 720.0 h ahead of faulty's report: set the clock, or use another provider"),
      (3600 * 5, "the clock is 5.0 h behind faulty's report: set the clock"),
    ] as [(Int64, String)])
  func `a weather outlook reports a wrong clock if the provider's report is for another time`(
    seconds: Int64, reason: String
  ) async {
    let seen = EventRecorder<OutlookEvent>()
    let service = Self.service { event, _ in seen.record(event) }
    let running = Task { await service.run() }
    let location = SceneEvents.location(at: 1).location
    service.observe(LocationEvent(location), of: 1)
    await seen.wait(for: 1)
    let report = Samples.report("faulty", at: location.coordinate) { $0.validAt = .noon(plus: seconds) }
    service.observe(Samples.enriched(report, at: location), of: 1)
    await seen.wait(for: 2)
    service.observe(ErrorEvent(source: "weather", message: "no answer"), of: 1)
    await seen.wait(for: 3)
    running.cancel()
    #expect(seen.events.map(\.outlook.reason) == [nil, reason, "no answer"])
  }

  @Test func `changed or disabled weather lookups reset the status of the lookups`() {
    let failure = LookupFailureEvent(.of(provider: "nws", host: "h", .network("refused")), retryAfterSeconds: 60)
    for next in [2, nil] as [Int64?] {
      let service = Self.service { _, _ in }
      service.observe(failure, of: 1)
      _ = service.begin(Self.lookups(1))
      #expect(service.lookupStatus.lastError?.hasPrefix("nws (h)") == true)
      #expect((service.begin(next.map(Self.lookups)) == nil) == (next == nil))
      #expect(service.lookupStatus == WeatherLookupStatus())
      service.observe(failure, of: 1)
      #expect(service.lookupStatus == WeatherLookupStatus())
    }
  }

  @Test func `disabling weather lookups clears the last authorization of the outlook service`() async {
    let seen = EventRecorder<Authorization?>()
    let service = Self.service { _, authorization in seen.record(authorization) }
    let running = Task { await service.run() }
    service.observe(AuthorizationEvent(Authorization(.authorizedAlways)), of: 1)
    _ = service.begin(nil)
    _ = service.begin(Self.lookups(2))
    service.observe(LocationEvent(SceneEvents.location(at: 1).location), of: 2)
    #expect(await seen.wait(for: 1) == [nil])
    running.cancel()
  }

  @Test func `after a receiver replaces a recording, the recording's location is not used any more`() async {
    let seen = EventRecorder<OutlookEvent>()
    let service = OutlookService(now: { .at(0) }, publish: { event, _ in seen.record(event) })
    let running = Task { await service.run() }
    _ = service.begin(.init(weatherQueries: Self.weatherQueries, isAtBoard: false, generation: 1))
    service.observe(LocationEvent(.at(1, 2)), of: 1)
    await seen.wait(for: 1)
    _ = service.begin(Self.lookups(1))
    service.observe(ErrorEvent(source: "weather", message: "no answer"), of: 1)
    service.observe(LocationEvent(.at(1.001, 2)), of: 1)
    let published = await seen.wait(for: 2)
    running.cancel()
    #expect(published.map(\.outlook.coordinate.latitudeDegrees) == [1, 1.001])
  }

  @Test func `a weather outlook reaches all sinks once, and never triggers another outlook`() async throws {
    let seconds = Mutex<Int64>(0)
    let seen = EventRecorder<OutlookEvent>()
    let pipeline = LocationPipeline(PipelinePlan([]))
    // More than a minute passes with each event, so that each event makes an outlook due.
    let service = OutlookService(
      now: {
        MonotonicTime(
          nanoseconds: seconds.withLock { seconds in
            seconds += 61
            return seconds * 1_000_000_000
          })
      }, publish: { event, _ in pipeline.submit(event) })
    let observer = try #require(service.begin(Self.lookups(1)))
    #expect(!observer.takes(OutlookEvent(WeatherOutlook(coordinate: .at(1, 1)))))
    pipeline.apply(
      PipelinePlan([
        observer, PluginSpecification("recorder", .sink { Recorder(seen: seen) }),
      ]))
    let running = Task { await pipeline.run() }
    let publishing = Task { await service.run() }
    for number in 1...3 {
      pipeline.submit(SceneEvents.location(at: Double(number)).location)
      await seen.wait(for: number)
    }
    pipeline.finish()
    _ = await running.value
    publishing.cancel()
    #expect(seen.events.count == 3)
    #expect(seen.events.allSatisfy { $0.outlook.resolved.almanac != nil })
  }
}
