// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Pipeline
import Positioning
import SystemSupport
import Testing
import WeatherClient
import WeatherClientLive
import WeatherFeature

@testable import Daemon

/// Weather outlooks on a board whose system clock is wrong.
@Suite("Weather with a wrong system clock")
struct WrongClockTests {
  /// 2026-11-21 12:00:00.
  private static let noon: Int64 = 1_795_262_400
  private static let now = MonotonicTime.at(100)
  /// 1970, 2020, and a year ahead.
  private static let systems: [Int64] = [100, 1_577_836_800, noon + 31_536_000]

  private static func queries(_ system: Int64) -> (BoardClock, WeatherQueries) {
    let clock = BoardClock(system: { UTCTime(secondsSince1970: system) }, now: { Self.now })
    let queries = WeatherQueries(
      service: WeatherService(sources: [], storePath: nil), sensors: IIOSensors(root: "/nowhere"),
      clock: clock, now: { Self.now })
    return (clock, queries)
  }

  private static var location: Location {
    var location = SceneEvents.location(at: 100).location
    location.time = UTCTime(secondsSince1970: noon)
    return location
  }

  @Test(arguments: Self.systems)
  func `sun and moon use the receiver's time`(system: Int64) async throws {
    let (clock, queries) = Self.queries(system)
    let outlook = await queries.stored(.init(about: Self.location, isAtBoard: true))
    #expect(outlook.time == UTCTime(secondsSince1970: Self.noon))
    let expected = try #require(Almanac(of: UTCTime(secondsSince1970: Self.noon), at: Self.location.coordinate))
    #expect(outlook.resolved.almanac == expected)
    #expect(clock.timestamp.utcSeconds == Self.noon, "the ages of stored reports use this time")
    #expect(clock.systemError != nil)
  }

  @Test func `the time of a recording, of a simulation and of a right clock does not change the clock`() async {
    for system in Self.systems {
      let (clock, queries) = Self.queries(system)
      var (simulated, replayed) = (Self.location, Self.location)
      simulated.isSimulated = true
      replayed.isReplayed = true
      for location in [simulated, replayed] {
        let outlook = await queries.stored(.init(about: location, isAtBoard: true))
        #expect(outlook.time == UTCTime(secondsSince1970: system))
      }
      #expect(clock.utcNow == UTCTime(secondsSince1970: system))
    }
    let (clock, queries) = Self.queries(Self.noon + 30)
    let outlook = await queries.stored(.init(about: Self.location, isAtBoard: true))
    #expect(outlook.time == UTCTime(secondsSince1970: Self.noon + 30))
    #expect(clock.systemError == nil)
  }
}
