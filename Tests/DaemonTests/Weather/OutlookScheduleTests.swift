// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import LocationServices
import Pipeline
import Positioning
import Testing
import WeatherClient
import WeatherFeature

@testable import Daemon

@Suite("Schedule of weather outlooks")
struct OutlookScheduleTests {
  private static func gate(_ reason: String?) -> GateEvent {
    GateEvent(gate: "reachability", verdict: reason.map { .holds(reason: $0) } ?? .passes, heldCount: 1)
  }

  private static func isDue(_ schedule: inout OutlookSchedule, _ event: any PipelineEvent, at seconds: Double) -> Bool {
    schedule.handle(event, at: .at(seconds)) != nil
  }

  @Test func `a weather outlook is due at the first location, and once a minute afterwards at any event`() {
    var schedule = OutlookSchedule()
    #expect(!Self.isDue(&schedule, SceneEvents.noFix(at: 0), at: 0))
    #expect(Self.isDue(&schedule, SceneEvents.location(at: 1), at: 1))
    #expect(!Self.isDue(&schedule, SceneEvents.location(at: 60), at: 60))
    // If there is no fix, outlooks for the last location continue.
    #expect(Self.isDue(&schedule, SceneEvents.noFix(at: 61), at: 61))
    #expect(!Self.isDue(&schedule, SceneEvents.noFix(at: 62), at: 62))
  }

  @Test func `a weather outlook is due when the board has moved by a kilometre`() {
    var schedule = OutlookSchedule()
    #expect(Self.isDue(&schedule, SceneEvents.location(at: 1), at: 1))
    for (degrees, isDue) in [(0.005, false), (0.01, true), (0.015, false)] {
      var event = SceneEvents.location(at: 2)
      event.location.coordinate = .at(51.50735 + degrees, -0.12776)
      #expect(Self.isDue(&schedule, event, at: 2) == isDue, "\(degrees)")
    }
  }

  @Test func `a weather outlook is due when weather lookups are blocked, fail or succeed`() {
    var schedule = OutlookSchedule()
    #expect(!Self.isDue(&schedule, Self.gate("noDefaultRoute"), at: 0))
    #expect(Self.isDue(&schedule, SceneEvents.location(at: 1), at: 1))
    #expect(schedule.obstacle == "no weather provider is contacted: noDefaultRoute")
    #expect(!Self.isDue(&schedule, Self.gate(nil), at: 2))
    #expect(schedule.obstacle == nil)
    #expect(Self.isDue(&schedule, ErrorEvent(source: "weather", message: "no"), at: 3))
    #expect(schedule.obstacle == "no")
    #expect(!Self.isDue(&schedule, ErrorEvent(source: "location", message: "x"), at: 3))
    #expect(Self.isDue(&schedule, Self.gate("noCarrier"), at: 4))
    #expect(Self.isDue(&schedule, SceneEvents.weather(at: 5), at: 5))
    // Lookups remain blocked, although a lookup that was in progress has succeeded.
    #expect(schedule.obstacle == "no weather provider is contacted: noCarrier")
  }

  @Test func `no outlook is due while the authorization is denied`() {
    var schedule = OutlookSchedule()
    #expect(Self.isDue(&schedule, SceneEvents.location(at: 1), at: 1))
    let refusal = AuthorizationEvent(Authorization(.denied, accuracy: .fullAccuracy))
    #expect(!Self.isDue(&schedule, refusal, at: 2))
    #expect(!Self.isDue(&schedule, Self.gate("noCarrier"), at: 3))
    #expect(!Self.isDue(&schedule, SceneEvents.noFix(at: 100), at: 100))
    #expect(Self.isDue(&schedule, SceneEvents.location(at: 101), at: 101))
  }

  @Test func `a weather outlook is due at the first instrument reading, but not at each later reading`() throws {
    var schedule = OutlookSchedule()
    var readings = InstrumentReadings()
    func event(at seconds: Double) -> InstrumentEvent {
      var reading = InstrumentReading(source: "/dev/ttyUSB0")
      reading.airTemperatureDegreesCelsius = 12
      reading.receivedAt = MonotonicTime.at(seconds)
      readings.take(reading)
      return InstrumentEvent(readings)
    }
    #expect(!Self.isDue(&schedule, event(at: 0), at: 0), "no location is known yet")
    schedule = OutlookSchedule()
    #expect(Self.isDue(&schedule, SceneEvents.location(at: 1), at: 1))
    let due = schedule.question(after: event(at: 2), at: .at(3), isAtBoard: true)
    let question = try #require(due)
    #expect(question.instruments.map(\.receiver) == ["/dev/ttyUSB0"])
    #expect(question.instruments.map(\.measuredAt) == [MonotonicTime.at(2)])
    #expect(!Self.isDue(&schedule, event(at: 4), at: 4))
    // An old reading is not included.
    let later = schedule.question(after: SceneEvents.location(at: 700), at: .at(700), isAtBoard: true)
    #expect(try #require(later).instruments.isEmpty)
  }
}
