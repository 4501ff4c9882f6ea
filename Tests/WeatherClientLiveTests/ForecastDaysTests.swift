// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Positioning
import SystemSupport
import Testing
import WeatherClient

@testable import WeatherClientLive

@Suite("Days of a forecast")
struct ForecastDaysTests {
  private static func hours(
    of report: WeatherReport, onDay day: Int64, at place: ForecastPlace
  ) -> [HourWeather] {
    report.hours.filter { place.day(at: $0.time.secondsSince1970) == day }
  }

  /// Whether hours cover a day, except for less than an hour at midnight in a zone with minutes.
  private static func areComplete(
    _ hours: [HourWeather], onDay day: Int64, at place: ForecastPlace
  ) -> Bool {
    guard let first = hours.first, let last = hours.last else { return false }
    let (start, end) = (place.start(ofDay: day), place.start(ofDay: day + 1))
    let lastEnd = last.time.secondsSince1970 + Int64(last.durationSeconds)
    return first.time.secondsSince1970 - start < Int64(first.durationSeconds)
      && lastEnd > end - 3600
  }

  private static func isClose(_ value: Double?, _ expected: Double?) -> Bool {
    guard let value, let expected else { return value == expected }
    return abs(value - expected) < 1e-6
  }

  @Test(arguments: GeneratedForecast.allCases, ForecastPlace.all)
  func `the extremes of each complete day equal those of its hours in the zone of the place`(
    forecast: GeneratedForecast, place: ForecastPlace
  ) throws {
    let report = try forecast.report(at: place)
    let days = report.hours.map { place.day(at: $0.time.secondsSince1970) }
    var count = 0
    for day in Set(days).sorted() {
      let own = Self.hours(of: report, onDay: day, at: place)
      guard Self.areComplete(own, onDay: day, at: place) else { continue }
      count += 1
      let row = try #require(report.days.first { $0.date.daysSince1970 == day }, "\(day)")
      let temperatures = own.compactMap(\.weather.temperatureDegreesCelsius)
      #expect(Self.isClose(row.lowestTemperatureDegreesCelsius, temperatures.min()), "\(row)")
      #expect(Self.isClose(row.highestTemperatureDegreesCelsius, temperatures.max()), "\(row)")
      #expect(row.endsAt?.secondsSince1970 == place.start(ofDay: day + 1))
    }
    #expect(count >= (forecast == .oneCall || forecast == .pirateWeather ? 1 : 4), "\(days)")
  }

  @Test(arguments: GeneratedForecast.allCases, ForecastPlace.all)
  func `the days of a forecast begin with today at the place and have consecutive dates`(
    forecast: GeneratedForecast, place: ForecastPlace
  ) throws {
    let report = try forecast.report(at: place)
    let days = report.forecastDays(at: UTCTime(secondsSince1970: place.now))
    let today = place.day(at: place.now)
    let dates = days.map { Int64($0.date.daysSince1970) }
    #expect(dates == Array(today..<today + Int64(days.count)))
    #expect(days.count >= 5)
    let first = try #require(days.first)
    let midnight = place.start(ofDay: today + 1)
    if forecast.sendsToday {
      let whole = place.extremes(from: place.start(ofDay: today), until: midnight)
      let own = Self.hours(of: report, onDay: today, at: place)
        .compactMap(\.weather.temperatureDegreesCelsius)
      #expect(
        Self.isClose(first.lowestTemperatureDegreesCelsius, min(whole.lowest, own.min() ?? 99)))
      #expect(
        Self.isClose(first.highestTemperatureDegreesCelsius, max(whole.highest, own.max() ?? -99)))
    } else {
      #expect(first.lowestTemperatureDegreesCelsius != nil)
      #expect(first.highestTemperatureDegreesCelsius != nil)
    }
    // Today ends at the place's midnight, wherever the board is.
    let after = report.forecastDays(at: UTCTime(secondsSince1970: midnight))
    #expect(after.first?.date.daysSince1970 == Int32(today + 1))
  }

  @Test func `today's row has the current weather if the forecast begins after midnight`() throws {
    // Friday, 23:30; the first step of OpenWeatherMap is on Saturday at 02:00.
    let place = ForecastPlace(
      zone: "America/Los_Angeles", 34.05, -118.24, "2026-07-04T06:30:00Z", -25_200)
    let report = try GeneratedForecast.openWeatherMap.report(at: place)
    let day = try #require(report.days.first)
    #expect(day.date.civil == (2026, 7, 3))
    #expect(Self.isClose(day.highestTemperatureDegreesCelsius, place.temperature(place.now)))
    #expect(Self.isClose(day.lowestTemperatureDegreesCelsius, place.temperature(place.now)))
  }

  @Test func `a later day is included only if the hours cover at least half of it`() {
    let begin: Int64 = 1_595_203_200  // 2020-07-20T00:00Z
    let hours = (0..<30).map { (index: Int) -> HourWeather in
      var hour = HourWeather(time: UTCTime(secondsSince1970: begin + Int64(index) * 3600))
      hour.weather.temperatureDegreesCelsius = Double(index)
      hour.weather.precipitationMillimeters = 0.5
      hour.weather.condition = index < 5 ? .rain : .clear
      return hour
    }
    let days = DaySummary(zone: .utc).days(of: hours, [])
    #expect(days.map(\.date.civil.day) == [20])
    #expect(days.first?.lowestTemperatureDegreesCelsius == 0)
    #expect(days.first?.highestTemperatureDegreesCelsius == 23)
    #expect(days.first?.precipitationMillimeters == 12)
    #expect(days.first?.condition == .clear)
  }

  @Test(
    arguments: [
      // Name and offset in the reply, and the resulting offsets in January and July.
      ("Europe/London", 0, 48.85, 2.35, 0, 3600), ("Europe/London", nil, 48.85, 2.35, 0, 3600),
      // The rules of the named zone contradict the offset; those of Paris agree.
      ("Europe/London", 3600, 48.85, 2.35, 3600, 7200),
      // A server that does not know the zone of the place states UTC.
      ("GMT", 0, 35.68, 139.69, 32_400, 32_400), ("UTC", 0, 34.05, -118.24, -28_800, -25_200),
      ("Etc/GMT", nil, 34.05, -118.24, -28_800, -25_200), ("GMT", 0, 0, -30, 0, 0),
      ("Europe/Atlantis", 3600, 48.85, 2.35, 3600, 7200), (nil, nil, 48.85, 2.35, 3600, 7200),
      // No rules agree with the offset.
      (nil, 20_700, 48.85, 2.35, 20_700, 20_700),
      ("../localtime", nil, 0, -30, -7200, -7200), (nil, nil, 0, -30, -7200, -7200),
      (nil, 1e300, 0, 116.4, 28_800, 28_800),
    ] as [(String?, Double?, Double, Double, Int64, Int64)])
  func `the zone of a place is that of the reply, of the nearest town, or nautical at sea`(
    name: String?, offset: Double?, latitude: Double, longitude: Double, january: Int64,
    july: Int64
  ) throws {
    let winter = UTCTime(secondsSince1970: ForecastPlace.second("2026-01-15T12:00:00Z"))
    let summer = UTCTime(secondsSince1970: ForecastPlace.second("2026-07-15T12:00:00Z"))
    let zone = PlaceZone(name: name, offsetSeconds: offset)
      .zone(at: .at(latitude, longitude), winter)
    for (time, seconds) in [(winter, january), (summer, july)] {
      let local = zone.local(time)
      #expect(
        UTCTime(date: local.date, timeOfDay: local.timeOfDay).secondsSince1970
          == time.secondsSince1970 + seconds)
    }
  }
}
