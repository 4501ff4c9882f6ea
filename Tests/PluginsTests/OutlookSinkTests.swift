// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Pipeline
import Positioning
import Testing
import WeatherFeature

@testable import Plugins

@Suite("Sinks that are told of the weather without a provider", .timeLimit(.minutes(2)))
struct OutlookSinkTests {
  /// What a sink writes of some events.
  private static func lines(
    of sink: (SinkContext) -> any Sink, _ outlooks: [WeatherOutlook]
  ) async throws -> [String] {
    let output = SinksTests.Output()
    let sink = sink(
      SinkContext(
        write: { output.write($0) }, now: { MonotonicTime(nanoseconds: 0) },
        utcNow: { OutlookTests.noon }))
    for outlook in outlooks { try await sink.receive(OutlookEvent(outlook)) }
    return output.text.split(separator: "\n").map(String.init)
  }

  @Test func `what is fresh has been told as it came`() async throws {
    let fresh = OutlookTests.outlook(agedSeconds: 60)
    #expect(try await Self.lines(of: { JSONLinesSink($0) }, [fresh]).isEmpty)
    #expect(try await Self.lines(of: { TextSink($0) }, [fresh]).isEmpty)
  }

  @Test func `a stored forecast is told each time, for what it is`() async throws {
    let stored = OutlookTests.outlook(agedSeconds: 9000)
    let objects = try await Self.lines(of: { JSONLinesSink($0) }, [stored, stored])
    #expect(objects.count == 2 && objects[0].contains(#""kind":"interpolated""#))
    let texts = try await Self.lines(of: { TextSink($0) }, [stored, stored])
    #expect(
      texts.allSatisfy {
        $0.hasSuffix("2.5 °C [stored forecast of openmeteo, interpolated to now, 2.5 h old]")
      } && texts.count == 2)
  }

  @Test func `that nothing is known is said once, with the sun`() async throws {
    var nothing = WeatherOutlook(coordinate: .at(51.5, 0))
    nothing.ladder = LadderAnswer(
      weather: [], almanac: Almanac(of: OutlookTests.noon, at: nothing.coordinate))
    let stored = OutlookTests.outlook(agedSeconds: 9000)
    let texts = try await Self.lines(
      of: { TextSink($0) }, [nothing, nothing, stored, nothing])
    #expect(texts.count == 3)
    #expect(texts[0].contains("nothing known yet; sun up 07:"))
    let objects = try await Self.lines(of: { JSONLinesSink($0) }, [nothing])
    #expect(objects.count == 1 && objects[0].contains(#""moon":"waxingGibbous""#))
  }
}
