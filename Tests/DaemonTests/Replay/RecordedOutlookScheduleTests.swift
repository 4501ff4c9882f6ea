// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import LocationServices
import Pipeline
import Positioning
import Testing
import WeatherClient
import WeatherFeature

@testable import Daemon

@Suite("Schedule of a recording's weather outlooks")
struct RecordedOutlookScheduleTests {
  private static let now = MonotonicTime.at(9000)

  private static func time(_ second: Int64) -> UTCTime {
    UTCTime(secondsSince1970: 1_700_000_000 + second)
  }

  private static func location(_ second: Int64, degreesNorth: Double = 0) -> LocationEvent {
    var event = SceneEvents.location(at: 0)
    event.location.time = time(second)
    event.location.coordinate = .at(54 + degreesNorth, 10)
    return event
  }

  private static func instruments(_ second: Int64, celsius: Double) -> InstrumentEvent {
    var reading = InstrumentReading(source: "log")
    reading.time = time(second)
    reading.airTemperatureDegreesCelsius = celsius
    var readings = InstrumentReadings()
    readings.take(reading)
    return InstrumentEvent(readings)
  }

  @Test func `a recording without instruments reports no weather`() {
    var schedule = RecordedOutlookSchedule()
    for second in 0..<300 {
      #expect(schedule.question(after: Self.location(Int64(second)), at: Self.now) == nil)
    }
  }

  @Test func `a recording's weather contains the readings from the location's time, no later readings`() throws {
    var schedule = RecordedOutlookSchedule()
    for second in stride(from: Int64(0), through: 600, by: 60) {
      let event = Self.instruments(second, celsius: Double(second))
      #expect(schedule.question(after: event, at: Self.now) == nil)
    }
    var reported: [(Double?, UTCTime?)] = []
    for second in 0...130 {
      let question = schedule.question(after: Self.location(Int64(second)), at: Self.now)
      if let question {
        #expect(!question.isAtBoard, "the board's own sensors must not be used")
        reported.append((question.instruments.first?.temperatureDegreesCelsius, question.time))
      }
    }
    #expect(reported.map(\.0) == [0, 60, 120])
    #expect(reported.map(\.1) == [Self.time(0), Self.time(60), Self.time(120)])
  }

  @Test func `a recording's weather has only readings that are at most ten minutes old in the recording`() throws {
    var schedule = RecordedOutlookSchedule()
    _ = schedule.question(after: Self.instruments(0, celsius: 12), at: Self.now)
    let due = schedule.question(after: Self.location(420), at: Self.now)
    let question = try #require(due)
    let measuredAt = try #require(question.instruments.first?.measuredAt)
    #expect(Self.now.seconds(since: measuredAt) == 420)
    #expect(schedule.question(after: Self.location(601), at: Self.now) == nil)
  }

  @Test func `a recording's weather is reported again after the board has moved a kilometre`() {
    var schedule = RecordedOutlookSchedule()
    _ = schedule.question(after: Self.instruments(0, celsius: 12), at: Self.now)
    #expect(schedule.question(after: Self.location(1), at: Self.now) != nil)
    #expect(schedule.question(after: Self.location(2, degreesNorth: 0.005), at: Self.now) == nil)
    #expect(schedule.question(after: Self.location(3, degreesNorth: 0.01), at: Self.now) != nil)
  }

  @Test func `the queue of a recording's readings that wait for a location is bounded`() throws {
    var schedule = RecordedOutlookSchedule()
    for second in 0...RecordedOutlookSchedule.limit {
      _ = schedule.question(after: Self.instruments(Int64(second), celsius: Double(second)), at: Self.now)
    }
    #expect(schedule.question(after: Self.location(0), at: Self.now) == nil, "the oldest reading must be dropped")
    let due = schedule.question(after: Self.location(1), at: Self.now)
    let question = try #require(due)
    #expect(question.instruments.first?.temperatureDegreesCelsius == 1)
  }
}
