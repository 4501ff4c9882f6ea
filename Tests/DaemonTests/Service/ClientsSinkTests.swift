// SPDX-License-Identifier: Apache-2.0

import DaemonProtocol
import DaemonServer
import FixcastTesting
import LocationServices
import PathMonitorClient
import Pipeline
import Positioning
import Testing
import WeatherClient
import WeatherFeature

@testable import Daemon

@Suite("Pipeline events for clients")
struct ClientsSinkTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let event: any PipelineEvent
    let name: String
    let audience: ServerObject.Audience
    let isStored: Bool
    var testDescription: String { name }
  }

  private static let weather = Samples.enriched(Samples.report())

  private func sink(at seconds: Double = 0) -> ClientsSink {
    ClientsSink({ _ in }, now: { .at(seconds) }, utcNow: { nil })
  }

  private func object(_ event: any PipelineEvent, _ sink: ClientsSink? = nil) async -> ServerObject? {
    let serverEvent = await (sink ?? self.sink()).event(for: event)
    return if case .object(let object)? = serverEvent { object } else { nil }
  }

  private static func text(_ object: ServerObject?, at seconds: Double = 0) -> String? {
    object?.json(at: .at(seconds)).map { String(decoding: $0, as: UTF8.self) }
  }

  @Test func `the clients sink receives exactly the events that it publishes`() async {
    let ignored: [any PipelineEvent] = [
      LocationEvent(.at(51.5)), NoFixEvent(Fix(mode: .none)), SkyEvent(SkyView(), device: nil),
    ]
    for event in ignored {
      #expect(!ClientsSink.takes(event))
      #expect(await sink().event(for: event) == nil)
    }
    let published: [any PipelineEvent] = [
      Self.weather, PathEvent(NetworkPath(status: .satisfied)),
      ErrorEvent(source: "weather", message: "refused"),
    ]
    for event in published {
      #expect(ClientsSink.takes(event))
      #expect(await sink().event(for: event) != nil)
    }
  }

  @Test(arguments: [
    Case(event: weather, name: "WEATHER", audience: .fullAccuracy, isStored: true),
    Case(
      event: OutlookEvent(WeatherOutlook(coordinate: .at(51.5, 0))), name: "WEATHER",
      audience: .fullAccuracy, isStored: true),
    Case(event: PathEvent(NetworkPath(status: .satisfied)), name: "PATH", audience: .authorized, isStored: true),
    Case(
      event: GateEvent(gate: "distance", verdict: .holds(reason: "10 m"), heldCount: 1),
      name: "GATE", audience: .fullAccuracy, isStored: false),
    Case(
      event: ErrorEvent(source: "weather", message: "GET /?lat=51.5"), name: "ERROR",
      audience: .fullAccuracy, isStored: false),
    Case(
      event: SourceEvent.receiver(ReceiverInfo(name: "/dev/ttyACM0", isActive: true)),
      name: "DEVICE", audience: .authorized, isStored: true),
  ])
  func `only clients with full accuracy get events that may reveal the location`(_ expected: Case) async throws {
    let object = try #require(await object(expected.event))
    #expect(object.name == expected.name && object.audience == expected.audience)
    #expect(object.isBroadcast && (object.keeping != .none) == expected.isStored)
    let text = try #require(Self.text(object))
    #expect(text.hasPrefix(#"{"class":"\#(expected.name)""#))
    if expected.audience == .authorized { #expect(!text.contains("lat") && !text.contains("lon")) }
  }

  @Test func `locations, satellites and silent receivers are not published by the clients sink`() async {
    let events: [any PipelineEvent] = [
      LocationEvent(.at(51.5)), NoFixEvent(Fix(mode: .none)),
      SourceEvent.lost(SourceLoss(.silent), source: "a"), LookupEvent.asked,
      EnrichedEvent(EnrichedLocation(.at(51.5))),
    ]
    for event in events { #expect(await object(event) == nil, "\(event)") }
  }

  @Test func `the clients sink stores a DEVICE object until the receiver or the whole source is lost`() async throws {
    let info = ReceiverInfo(name: "/dev/ttyACM1", isActive: true)
    #expect(await object(SourceEvent.receiver(info))?.keeping == .newest(subject: "/dev/ttyACM1"))
    for receiver in ["/dev/ttyACM1", nil] {
      let loss = SourceLoss(.deactivated, receiver: receiver)
      let event = await sink().event(for: SourceEvent.lost(loss, source: "auto"))
      guard case .expired("DEVICE", receiver)? = event else {
        Issue.record("\(String(describing: event))")
        continue
      }
    }
  }

  @Test func `the state of a receiver's antenna is stored for later clients until the receiver is lost`() async throws {
    let published = EventRecorder<ServerEvent>()
    let sink = ClientsSink({ published.record($0) }, now: { .at(0) }, utcNow: { nil })
    let open = ReceiverMessage(antenna: .open)
    let object = try #require(await object(SourceEvent.message(open, source: "/dev/a")))
    #expect(object.keeping == .newest(subject: "/dev/a") && object.audience == .authorized)
    #expect(
      Self.text(object)?.hasPrefix(
        #"{"class":"MESSAGE","device":"/dev/a","kind":"antenna","antenna":"open","message":"the"#)
        == true)
    let warning = ReceiverMessage(.warning, "x")
    #expect(await self.object(SourceEvent.message(warning, source: "a"))?.keeping == ServerObject.Keeping.none)
    try await sink.receive(SourceEvent.lost(SourceLoss(.deactivated, receiver: "/dev/a"), source: "auto"))
    let expired = published.events.compactMap { event -> String? in
      if case .expired(let name, "/dev/a") = event { name } else { nil }
    }
    #expect(expired == ["DEVICE", "MESSAGE"])
  }

  /// An outlook whose report became valid a number of seconds ago.
  private static func outlook(agedSeconds: Int64) -> WeatherOutlook {
    Samples.outlook(agedSeconds: agedSeconds) { $0.now.temperatureDegreesCelsius = 11 }
  }

  @Test func `a fresh weather report is sent once to current clients, and stored for new clients`() async throws {
    let sink = sink()
    let fresh = Self.outlook(agedSeconds: 60)
    let enriched = Samples.enriched(try #require(fresh.report))
    #expect(await object(enriched, sink)?.isBroadcast == true)
    #expect(await object(OutlookEvent(fresh), sink)?.isBroadcast == false)
    #expect(await object(OutlookEvent(fresh), sink)?.isBroadcast == false)
    // Interpolated values differ each time. A fresh report after interpolated values is sent again.
    for _ in 0..<2 {
      let stored = OutlookEvent(Self.outlook(agedSeconds: 9000))
      #expect(await object(stored, sink)?.isBroadcast == true)
    }
    #expect(await object(OutlookEvent(fresh), sink)?.isBroadcast == true)
  }

  @Test func `a new client gets stored weather with its current age, but no expired weather`() async throws {
    let fresh = await object(OutlookEvent(Self.outlook(agedSeconds: 600)))
    #expect(Self.text(fresh)?.contains(#""age":600,"#) == true)
    let later = try #require(Self.text(fresh, at: 1200))
    #expect(later.contains(#""age":1800,"#) && later.contains(#""stale":false"#))
    #expect(later.contains(#""time":"2026-11-21T12:20:00.000Z""#), "\(later)")
    #expect(Self.text(fresh, at: 3001) == nil)
    let stored = await object(OutlookEvent(Self.outlook(agedSeconds: 9000)))
    #expect(Self.text(stored, at: 299)?.contains(#""age":9299,"#) == true)
    #expect(Self.text(stored, at: 301) == nil)
    let enriched = await object(Samples.enriched(try #require(Self.outlook(agedSeconds: 0).report)))
    #expect(Self.text(enriched, at: 3599) != nil && Self.text(enriched, at: 3601) == nil)
  }

  @Test func `a new client gets no instrument reading that is older than ten minutes`() async {
    var reading = SensorReading(name: "instruments")
    reading.waterTemperatureDegreesCelsius = 17.9
    reading.measuredAt = .at(0)
    var input = ResolverInput(now: .at(590))
    input.sensor = reading
    var outlook = WeatherOutlook(coordinate: .at(51.5, 0))
    outlook.resolved = WeatherResolver().answer(input)
    let object = await object(OutlookEvent(outlook), sink(at: 590))
    #expect(Self.text(object, at: 600)?.contains(#""kind":"sensor""#) == true)
    #expect(Self.text(object, at: 600)?.contains(#""age":600,"#) == true)
    #expect(Self.text(object, at: 601) == nil)
  }

  @Test func `a new forecast is stored once for requests, and loses the hours that have ended`() async throws {
    let sink = ClientsSink({ _ in }, now: { .at(0) }, utcNow: { .noon })
    let event = OutlookEvent(Self.outlook(agedSeconds: 5400))
    let object = try #require(await sink.forecast(of: event))
    #expect(object.isOnRequest && !object.isBroadcast && object.audience == .fullAccuracy)
    let text = try #require(Self.text(object))
    #expect(text.contains(#""class":"FORECAST","provider":"openmeteo","age":5400,"#), "\(text)")
    // The current hour has begun half an hour ago.
    #expect(text.contains(#""hours":[{"time":"2026-11-21T11:30:00.000Z""#), "\(text)")
    #expect(text.ranges(of: #""duration""#).count == 48)
    #expect(await sink.forecast(of: event) == nil)
    let later = try #require(Self.text(object, at: 3600))
    #expect(later.contains(#""age":9000,"#))
    #expect(later.contains(#""hours":[{"time":"2026-11-21T12:30:00.000Z""#), "\(later)")
    #expect(Self.text(object, at: 400_000) == nil)
    // Without a wall clock, it is unknown which hours have ended.
    #expect(await self.sink().forecast(of: event) == nil)
  }
}
