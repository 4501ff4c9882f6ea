// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Foundation
import Positioning
import Testing

@testable import WeatherFeature

@Suite("The tendency of the pressure")
struct PressureTendencyTests {
  private let home = Coordinate.at(54.3, 10.1)

  private func minute(_ minute: Int) -> MonotonicTime {
    MonotonicTime(nanoseconds: Int64(minute) * 60_000_000_000)
  }

  /// A board that has stood for minutes, with a pressure that falls by 0.01 hPa a minute.
  private func standing(minutes: ClosedRange<Int>) -> PressureTendency {
    var tendency = PressureTendency()
    for number in minutes {
      tendency.take(home, now: minute(number))
      tendency.take(stationHectopascals: 1000 - Double(number) * 0.01, now: minute(number))
    }
    return tendency
  }

  @Test("is what changes in three hours, and nothing before")
  func steady() throws {
    #expect(standing(minutes: 0...169).hectopascals(now: minute(169)) == nil)
    let early = try #require(standing(minutes: 0...170).hectopascals(now: minute(170)))
    #expect(abs(early + 1.8) < 1e-9)
    let late = standing(minutes: 0...3000)
    #expect(late.hectopascals(now: minute(3000)).map { abs($0 + 1.8) < 1e-9 } == true)
    #expect(late.sampleCount <= 39)
  }

  @Test("goes on where another program has kept it")
  func kept() throws {
    let half = try JSONEncoder().encode(standing(minutes: 0...100))
    var tendency = try JSONDecoder().decode(PressureTendency.self, from: half)
    #expect(tendency == standing(minutes: 0...100))
    for number in 101...180 {
      tendency.take(home, now: minute(number))
      tendency.take(stationHectopascals: 1000 - Double(number) * 0.01, now: minute(number))
    }
    #expect(tendency.hectopascals(now: minute(180)).map { abs($0 + 1.8) < 1e-9 } == true)
  }

  @Test("ends with a move, and begins anew where the board stands again")
  func moved() throws {
    var tendency = standing(minutes: 0...200)
    // As far as a chain lets it swing is no move.
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

  @Test("is not known where no fix says that the board stands, or no sensor what it reads")
  func unheard() {
    var tendency = PressureTendency()
    for number in 0...400 { tendency.take(stationHectopascals: 1000, now: minute(number)) }
    #expect(tendency.hectopascals(now: minute(400)) == nil)

    let stood = standing(minutes: 0...200)
    #expect(stood.hectopascals(now: minute(210)) != nil)
    #expect(stood.hectopascals(now: minute(211)) == nil)

    // Eleven minutes without a fix may have been a drive and back.
    var away = stood
    away.take(home, now: minute(211))
    away.take(stationHectopascals: 998, now: minute(211))
    #expect(away.hectopascals(now: minute(211)) == nil)

    var silent = stood
    for number in 201...215 { silent.take(home, now: minute(number)) }
    #expect(silent.hectopascals(now: minute(215)) == nil)
  }

  @Test("takes no nonsense and no time that runs backward")
  func nonsense() {
    var tendency = standing(minutes: 0...200)
    let before = tendency
    tendency.take(stationHectopascals: .nan, now: minute(200))
    tendency.take(stationHectopascals: 5, now: minute(199))
    tendency.take(stationHectopascals: 5, now: minute(200))
    #expect(tendency == before)
  }

  @Test("a tendency starts anew with another sensor, before and after it was kept")
  func otherSensor() throws {
    var tendency = PressureTendency()
    for number in 0...100 {
      tendency.take(home, now: minute(number))
      tendency.take(stationHectopascals: 1000, from: "a", now: minute(number))
    }
    let kept = try JSONEncoder().encode(tendency)
    tendency = try JSONDecoder().decode(PressureTendency.self, from: kept)
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
