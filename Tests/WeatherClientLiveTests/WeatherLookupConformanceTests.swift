// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Positioning
import Testing
import WeatherClient

@testable import WeatherClientLive

/// A live provider over a real server, by the suite that the played ones pass too.
@Suite("Weather lookups, live", .timeLimit(.minutes(1)))
struct WeatherLookupConformanceTests {
  @Test func `a provider answers two at once, one that stays, and one that comes again`()
    async throws
  {
    var script = LoopbackServer.Script.answer(OpenMeteoTests.good)
    // Slow enough for somebody to give up meanwhile.
    script.pauseMicroseconds = 50_000
    let server = LoopbackServer { [script] _ in script }
    defer { server.stop() }
    let client = WeatherClient.openMeteo(OpenMeteo(baseURL: server.baseURL))
    // When it arrived differs; what it says does not.
    let ask: @Sendable () async throws -> [Double?] = {
      let report = try await client.weather(.coordinate(.at(51.5074, -0.1278)))
      return [report.now.temperatureDegreesCelsius]
        + report.days.map(\.highestTemperatureDegreesCelsius)
    }
    let expected = try await ask()
    #expect(expected.first == 11.4)
    #expect(await LookupConformance(expecting: expected, ask: ask).breaches() == [])
  }
}
