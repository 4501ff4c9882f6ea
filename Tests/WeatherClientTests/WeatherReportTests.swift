// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Foundation
import Positioning
import Testing
import WeatherClient

@Suite("Weather reports")
struct WeatherReportTests {
  @Test func `a decoded weather report equals the encoded report, except for receivedAt`() throws {
    var report = WeatherReport(coordinate: .at(51.51, -0.13), provider: "x", kind: .forecast)
    report.now.temperatureDegreesCelsius = -0.1
    report.now.windGustMetersPerSecond = 17.25
    report.now.condition = .unknown(code: "frogs")
    var hour = HourWeather(time: UTCTime(secondsSince1970: 1_795_244_400), durationSeconds: 21_600)
    hour.weather.pressureSeaLevelHectopascals = 1013.25
    hour.precipitationProbabilityPercent = 40
    report.hours = [hour]
    var day = DayWeather(date: UTCDate(daysSince1970: 20_778))
    day.condition = .sleetShowers
    day.sunrise = UTCTime(secondsSince1970: 1_795_246_080)
    day.endsAt = UTCTime(secondsSince1970: 1_795_305_600)
    report.days = [day, DayWeather(date: UTCDate(daysSince1970: -1))]
    report.attribution = "Attribution"
    report.licence = "CC BY 4.0"
    report.licenceURL = "https://example.org"
    report.validAt = UTCTime(secondsSince1970: 1)
    report.issuedAt = UTCTime(secondsSince1970: 2)
    report.expiresAt = UTCTime(secondsSince1970: 3, nanosecond: 4)
    report.isSimulated = true
    var arrived = report
    arrived.receivedAt = MonotonicTime(nanoseconds: 5)
    let data = try JSONEncoder().encode(arrived)
    #expect(try JSONDecoder().decode(WeatherReport.self, from: data) == report)
  }

  @Test func `a day of an earlier version, whose end is unknown, ends at midnight by the sun`() throws {
    let body = #"{"date":20778,"highestTemperatureDegreesCelsius":12}"#
    let day = try JSONDecoder().decode(DayWeather.self, from: Data(body.utf8))
    #expect(day.endsAt == nil && day.highestTemperatureDegreesCelsius == 12)
    // 90 degrees west are six hours.
    let midnight = UTCTime(secondsSince1970: 20_779 * 86_400 + 21_600)
    #expect(day.hasEnded(at: midnight, .at(40, -90)))
    #expect(
      !day.hasEnded(
        at: UTCTime(secondsSince1970: midnight.secondsSince1970 - 1), .at(40, -90)))
  }

  @Test func `the retry delay of rateLimited is rounded up to whole seconds in the description`() {
    #expect(
      WeatherError.rateLimited(retryAfterSeconds: 7, reason: nil).retryAfterSeconds == 7)
    #expect(
      WeatherError.rateLimited(retryAfterSeconds: 17.2, reason: "slower").description
        == "weather provider asks to wait 18 s: slower")
    #expect(WeatherError.badStatus(code: 503, reason: nil).retryAfterSeconds == nil)
    #expect(!WeatherError.refused(reason: "no").isTransient)
    #expect(WeatherError.redirected(host: "portal").isTransient)
  }
}
