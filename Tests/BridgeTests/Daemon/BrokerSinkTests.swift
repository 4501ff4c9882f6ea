// SPDX-License-Identifier: Apache-2.0

import Broker
import DaemonInterface
import FixcastTesting
import LocationServices
import PathMonitorClient
import Pipeline
import Positioning
import Testing
import WeatherClient
import WeatherFeature

@testable import Bridge

@Suite("What clients hear of the pipeline")
struct BrokerSinkTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let event: any PipelineEvent
    let name: String
    let audience: BrokerObject.Audience
    let isKept: Bool
    var testDescription: String { name }
  }

  private static var weather: EnrichedEvent {
    var value = EnrichedLocation(Location(coordinate: .at(51.5, 0)))
    value.add(
      WeatherEnrichment(
        WeatherReport(coordinate: .at(51.5, 0), provider: "openmeteo", kind: .forecast)))
    return EnrichedEvent(value)
  }

  private func object(_ event: any PipelineEvent) async -> BrokerObject? {
    let broker = BrokerServer(
      BrokerServer.Configuration(
        address: DaemonAddress(socketPath: "/nowhere"), places: PolicyPlaces(root: "/nowhere")),
      now: { MonotonicTime(nanoseconds: 0) })
    return await BrokerSink(broker, utcNow: { nil }).object(for: event)
  }

  @Test(
    "what says where the board is, or may, is for full accuracy alone",
    arguments: [
      Case(event: weather, name: "WEATHER", audience: .fullAccuracy, isKept: true),
      Case(
        event: OutlookEvent(WeatherOutlook(coordinate: .at(51.5, 0))), name: "WEATHER",
        audience: .fullAccuracy, isKept: true),
      Case(
        event: PathEvent(NetworkPath(status: .satisfied)), name: "PATH", audience: .authorized,
        isKept: true),
      Case(
        event: GateEvent(gate: "distance", verdict: .holds(reason: "10 m"), heldCount: 1),
        name: "GATE", audience: .fullAccuracy, isKept: false),
      Case(
        event: ErrorEvent(source: "weather", message: "GET /?lat=51.5"), name: "ERROR",
        audience: .fullAccuracy, isKept: false),
      Case(
        event: SourceEvent.receiver(ReceiverInfo(name: "/dev/ttyACM0", isActive: true)),
        name: "DEVICE", audience: .authorized, isKept: true),
    ])
  func audiences(_ told: Case) async throws {
    let object = try #require(await object(told.event))
    #expect(object.name == told.name && object.audience == told.audience)
    #expect(object.keptAs == (told.isKept ? told.name : nil))
    let text = String(decoding: object.json, as: UTF8.self)
    #expect(text.hasPrefix(#"{"class":"\#(told.name)""#))
    if told.audience == .authorized { #expect(!text.contains("lat") && !text.contains("lon")) }
  }

  @Test("locations, skies and losses come by another way, and nothing is said of them here")
  func silent() async {
    let events: [any PipelineEvent] = [
      LocationEvent(Location(coordinate: .at(51.5, 0))), NoFixEvent(Fix(mode: .none)),
      SourceEvent.lost(SourceLoss(.silent), source: "a"), LookupEvent.asked,
      EnrichedEvent(EnrichedLocation(Location(coordinate: .at(51.5, 0)))),
    ]
    for event in events { #expect(await object(event) == nil, "\(event)") }
  }
}
