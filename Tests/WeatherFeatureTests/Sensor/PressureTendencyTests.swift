// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Foundation
import Positioning
import Testing

@testable import WeatherFeature

@Suite("Pressure tendency")
struct PressureTendencyTests {
  private let home = Coordinate.at(54.3, 10.1)

  private func minute(_ minute: Int) -> MonotonicTime {
    MonotonicTime(nanoseconds: Int64(minute) * 60_000_000_000)
  }

  /// Returns the tendency of a stationary board whose pressure falls by 0.01 hPa per minute.
  private func stationary(minutes: ClosedRange<Int>) -> PressureTendency {
    var tendency = PressureTendency()
    for number in minutes {
      tendency.take(home, now: minute(number))
      tendency.take(stationHectopascals: 1000 - Double(number) * 0.01, now: minute(number))
    }
    return tendency
  }

  @Test func `the pressure tendency is the change over three hours, and nil with fewer measurements`() throws {
    #expect(stationary(minutes: 0...169).hectopascals(now: minute(169)) == nil)
    let early = try #require(stationary(minutes: 0...170).hectopascals(now: minute(170)))
    #expect(abs(early + 1.8) < 1e-9)
    let late = stationary(minutes: 0...3000)
    #expect(late.hectopascals(now: minute(3000)).map { abs($0 + 1.8) < 1e-9 } == true)
    #expect(late.sampleCount <= 39)
  }

  @Test func `a decoded pressure tendency accepts new measurements`() throws {
    let encoded = try JSONEncoder().encode(stationary(minutes: 0...100))
    var tendency = try JSONDecoder().decode(PressureTendency.self, from: encoded)
    #expect(tendency == stationary(minutes: 0...100))
    for number in 101...180 {
      tendency.take(home, now: minute(number))
      tendency.take(stationHectopascals: 1000 - Double(number) * 0.01, now: minute(number))
    }
    #expect(tendency.hectopascals(now: minute(180)).map { abs($0 + 1.8) < 1e-9 } == true)
  }

  @Test func `a move of the board resets the pressure tendency`() throws {
    var tendency = stationary(minutes: 0...200)
    // A boat that swings at anchor has not moved.
    let swung = try #require(home.destination(distanceMeters: 140, bearingDegreesTrue: 80))
    tendency.take(swung, now: minute(201))
    #expect(tendency.hectopascals(now: minute(201)) != nil)
    let away = try #require(home.destination(distanceMeters: 160, bearingDegreesTrue: 80))
    tendency.take(away, now: minute(202))
    #expect(tendency.hectopascals(now: minute(202)) == nil)
    for number in 203...371 {
      tendency.take(away, now: minute(number))
      tendency.take(stationHectopascals: 990, now: minute(number))
    }
    #expect(tendency.hectopascals(now: minute(371)) == nil)
    for number in 372...390 {
      tendency.take(away, now: minute(number))
      tendency.take(stationHectopascals: 990, now: minute(number))
    }
    #expect(tendency.hectopascals(now: minute(390)) == 0)
  }

  @Test func `the pressure tendency is nil without recent fixes or without recent measurements`() {
    var tendency = PressureTendency()
    for number in 0...400 { tendency.take(stationHectopascals: 1000, now: minute(number)) }
    #expect(tendency.hectopascals(now: minute(400)) == nil)

    let steady = stationary(minutes: 0...200)
    #expect(steady.hectopascals(now: minute(210)) != nil)
    #expect(steady.hectopascals(now: minute(211)) == nil)

    // The board may have moved and returned during eleven minutes without a fix.
    var away = steady
    away.take(home, now: minute(211))
    away.take(stationHectopascals: 998, now: minute(211))
    #expect(away.hectopascals(now: minute(211)) == nil)

    var silent = steady
    for number in 201...215 { silent.take(home, now: minute(number)) }
    #expect(silent.hectopascals(now: minute(215)) == nil)
  }

  @Test func `the pressure tendency ignores invalid pressures and measurements that are not newer`() {
    var tendency = stationary(minutes: 0...200)
    let before = tendency
    tendency.take(stationHectopascals: .nan, now: minute(200))
    tendency.take(stationHectopascals: 5, now: minute(199))
    tendency.take(stationHectopascals: 5, now: minute(200))
    #expect(tendency == before)
  }

  @Test func `a measurement of another sensor resets the pressure tendency, even after decoding`() throws {
    var tendency = PressureTendency()
    for number in 0...100 {
      tendency.take(home, now: minute(number))
      tendency.take(stationHectopascals: 1000, from: "a", now: minute(number))
    }
    let encoded = try JSONEncoder().encode(tendency)
    tendency = try JSONDecoder().decode(PressureTendency.self, from: encoded)
    for number in 101...180 {
      tendency.take(home, now: minute(number))
      tendency.take(stationHectopascals: 1004, from: "b", now: minute(number))
    }
    #expect(tendency.hectopascals(now: minute(180)) == nil)
    for number in 181...281 {
      tendency.take(home, now: minute(number))
      tendency.take(stationHectopascals: 1004, from: "b", now: minute(number))
    }
    #expect(tendency.hectopascals(now: minute(281)) == 0)
  }
}
