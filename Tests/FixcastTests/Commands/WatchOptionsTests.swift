// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Testing
import WeatherFeature

@testable import fixcast

/// What is said on the command line of how long a lookup waits.
@Suite struct WatchOptionsTests {
  private func timing(_ arguments: String...) throws -> ReachabilityGateTiming {
    try WatchCommand.parse(arguments).timing
  }

  @Test(arguments: [(["--return-delay", "7"], 7), ([], 30)])
  func `a return is waited for up to the time that is named, or half a minute`(
    arguments: [String], seconds: Int
  ) throws {
    let delay = try #require(WatchCommand.parse(arguments).timing.releaseDelay)
    let delays = (0..<1000).map { _ in delay() }
    #expect(delays.allSatisfy { (.zero ... .seconds(seconds)).contains($0) })
    #expect(delays.contains { $0 > .seconds(seconds) * 0.9 })
  }

  @Test func `a return may not be waited for at all`() throws {
    #expect(try timing("--return-delay", "0").releaseDelay == nil)
  }

  @Test(
    "what is not to be asked has no intervals",
    arguments: ["--expensive-interval", "--constrained-interval"])
  func contradictions(option: String) throws {
    #expect(throws: (any Error).self) { try WatchCommand.parse(["--no-weather", option, "60"]) }
    #expect(try WatchCommand.parse([option, "60"]).noWeather == false)
  }

  @Test("a place that is named is looked up there, and needs no source")
  func placeAndSource() throws {
    #expect(throws: (any Error).self) { try WeatherCommand.parse(["51,0", "--source", "gpsd"]) }
    for words in [["51,0"], ["--source", "gpsd"], []] {
      #expect(throws: Never.self) { try WeatherCommand.parse(words) }
    }
  }

  @Test func `intervals are those that are named, and none where none is`() throws {
    let none = try timing()
    #expect(none.expensiveInterval == nil && none.constrainedInterval == nil)
    let both = try timing("--expensive-interval", "600", "--constrained-interval", "90")
    #expect(both.expensiveInterval == .seconds(600))
    #expect(both.constrainedInterval == .seconds(90))
  }
}
