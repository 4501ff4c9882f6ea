// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import LocationServices
import Pipeline
import Positioning
import Testing
import WeatherClient
import WeatherFeature

@testable import Plugins

@Suite("Sinks, weather outlooks", .timeLimit(.minutes(5)))
struct OutlookSinkTests {
  /// Returns the lines that a sink writes for some outlooks.
  private static func lines(
    of sink: (PluginContext) -> any Sink, _ outlooks: [WeatherOutlook]
  ) async throws -> [String] {
    try await lines(of: sink, events: outlooks.map { OutlookEvent($0) })
  }

  private static func lines(
    of sink: (PluginContext) -> any Sink, events: [any PipelineEvent]
  ) async throws -> [String] {
    let output = SinksTests.Output()
    let sink = sink(PluginContext(write: { output.write($0) }, now: { .at(0) }, utcNow: { OutlookTests.noon }))
    for event in events { try await sink.receive(event) }
    return output.text.split(separator: "\n").map(String.init)
  }

  /// A location with a weather report, as delivered by the weather stage.
  private static func enriched(_ report: WeatherReport?) throws -> EnrichedEvent {
    Samples.enriched(try #require(report), at: SinksTests.location)
  }

  @Test func `an outlook whose report was the last written report is not written`() async throws {
    let fresh = OutlookTests.outlook(agedSeconds: 60)
    let events: [any PipelineEvent] = [try Self.enriched(fresh.report), OutlookEvent(fresh)]
    #expect(try await Self.lines(of: { JSONLinesSink($0) }, events: events).count == 1)
    #expect(try await Self.lines(of: { TextSink($0) }, events: events).count == 1)
  }

  @Test func `a fresh report from another program's lookup is written`() async throws {
    let fresh = OutlookTests.outlook(agedSeconds: 60)
    let objects = try await Self.lines(of: { JSONLinesSink($0) }, [fresh])
    #expect(objects.count == 1 && objects.allSatisfy { $0.contains(#""stale":false"#) })
    let texts = try await Self.lines(of: { TextSink($0) }, [fresh])
    #expect(texts.count == 1)
    #expect(texts.allSatisfy { $0.hasSuffix("[forecast by openmeteo, 60 s old]") }, "\(texts)")
    // An outlook is also written if its report differs from the last written report.
    let events: [any PipelineEvent] = [
      try Self.enriched(OutlookTests.outlook(agedSeconds: 900).report), OutlookEvent(fresh),
    ]
    #expect(try await Self.lines(of: { JSONLinesSink($0) }, events: events).count == 2)
    #expect(try await Self.lines(of: { TextSink($0) }, events: events).count == 2)
  }

  @Test func `a stored forecast is written each time and marked as stored`() async throws {
    let stored = OutlookTests.outlook(agedSeconds: 9000)
    let objects = try await Self.lines(of: { JSONLinesSink($0) }, [stored, stored])
    #expect(objects.count == 2 && objects[0].contains(#""kind":"interpolated""#))
    let texts = try await Self.lines(of: { TextSink($0) }, [stored, stored])
    #expect(
      texts.allSatisfy {
        $0.hasSuffix("2.5 °C [stored forecast of openmeteo, interpolated to now, 2.5 h old]")
      } && texts.count == 2)
  }

  @Test func `the text sink writes consecutive outlooks without weather once`() async throws {
    var nothing = WeatherOutlook(coordinate: .at(51.5, 0))
    nothing.resolved = ResolvedWeather(weather: [], almanac: Almanac(of: OutlookTests.noon, at: nothing.coordinate))
    let stored = OutlookTests.outlook(agedSeconds: 9000)
    let texts = try await Self.lines(of: { TextSink($0) }, [nothing, nothing, stored, nothing])
    #expect(texts.count == 3)
    #expect(texts[0].contains("no weather known yet; sun up 07:"))
    let objects = try await Self.lines(of: { JSONLinesSink($0) }, [nothing])
    #expect(objects.count == 1 && objects[0].contains(#""moon":"waxingGibbous""#))
  }
}
