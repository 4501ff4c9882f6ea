// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Testing
import WeatherFeature

@testable import fixcast

/// The options of `fixcast watch` and `fixcast weather` for lookups.
@Suite struct WatchOptionsTests {
  private func timing(_ arguments: String...) throws -> ReachabilityGateTiming {
    try WatchCommand.parse(arguments).timing
  }

  @Test(arguments: [(["--return-delay", "7"], 7), ([], 30)])
  func `the first lookup after an outage is delayed by up to --return-delay seconds, by default 30`(
    arguments: [String], seconds: Int
  ) throws {
    let delay = try #require(WatchCommand.parse(arguments).timing.releaseDelay)
    let delays = (0..<1000).map { _ in delay() }
    #expect(delays.allSatisfy { (.zero ... .seconds(seconds)).contains($0) })
    #expect(delays.contains { $0 > .seconds(seconds) * 0.9 })
  }

  @Test func `--return-delay 0 disables the delay after an outage`() throws {
    #expect(try timing("--return-delay", "0").releaseDelay == nil)
  }

  @Test(arguments: ["--expensive-interval", "--constrained-interval"])
  func `watch rejects --no-weather in combination with an interval option`(option: String) throws {
    #expect(throws: (any Error).self) { try WatchCommand.parse(["--no-weather", option, "60"]) }
    #expect(try WatchCommand.parse([option, "60"]).noWeather == false)
  }

  @Test func `weather rejects --source in combination with a coordinate`() throws {
    #expect(throws: (any Error).self) {
      try WeatherCommand.parse(["51.0,0.0", "--source", "gpsd"])
    }
    for words in [["51.0,0.0"], ["--source", "gpsd"], []] {
      #expect(throws: Never.self) { try WeatherCommand.parse(words) }
    }
  }

  @Test func `watch has no lookup intervals unless options set them`() throws {
    let none = try timing()
    #expect(none.expensiveInterval == nil && none.constrainedInterval == nil)
    let both = try timing("--expensive-interval", "600", "--constrained-interval", "90")
    #expect(both.expensiveInterval == .seconds(600))
    #expect(both.constrainedInterval == .seconds(90))
  }
}
