// SPDX-License-Identifier: Apache-2.0

import Testing
import WeatherClient

@testable import WeatherClientLive

@Suite("Daily forecast of the National Weather Service")
struct NWSForecastReplyTests {
  private static func period(_ start: String, isDaytime: Bool, _ temperature: String) -> String {
    """
    {"startTime":"\(start)","isDaytime":\(isDaytime),"temperature":\(temperature),
    "temperatureUnit":"C"}
    """
  }

  private static func days(_ periods: String...) throws -> [DayWeather] {
    let body = #"{"properties":{"periods":["# + periods.joined(separator: ",") + "]}}"
    return try WeatherReply(body: Array(body.utf8)).json(NWSForecastReply.self).days()
  }

  @Test func `the lowest temperature of an NWS day is the minimum of its night periods, ignoring null`() throws {
    for (evening, lowest) in [("3", 3.0), ("8", 5), ("null", 5)] {
      let days = try Self.days(
        Self.period("2026-11-21T00:00:00-05:00", isDaytime: false, "5"),
        Self.period("2026-11-21T06:00:00-05:00", isDaytime: true, "15"),
        Self.period("2026-11-21T18:00:00-05:00", isDaytime: false, evening))
      #expect(days.map(\.lowestTemperatureDegreesCelsius) == [lowest], "\(evening)")
      #expect(days.map(\.highestTemperatureDegreesCelsius) == [15])
    }
  }

  @Test(arguments: [
    (
      #"{"title":"Marine Forecast Not Supported","status":404}"#,
      "a forecast for this point: Marine Forecast Not Supported"
    ),
    (
      #"{"title":"Data Unavailable For Requested Point","detail":"Unable to provide data for "#
        + #"requested point 54.3200,10.1300\u001b[31m"}"#,
      "a forecast for this point: Unable to provide data for requested point …[31m"
    ),
    ("<html></html>", "a forecast for this point"), ("{}", "a forecast for this point"),
  ])
  func `status 404 of the National Weather Service is reported with the reason in the reply`(
    body: String, request: String
  ) {
    let provider = NationalWeatherService(WeatherProviderConfiguration())
    #expect(
      provider.refusal(WeatherReply(status: 404, body: Array(body.utf8))) == .unsupported(request))
    let long = #"{"title":""# + String(repeating: "x", count: 5000) + #""}"#
    #expect(
      "\(provider.refusal(WeatherReply(status: 404, body: Array(long.utf8))))".utf8.count < 400)
  }

  @Test func `a second NWS day period without a temperature keeps the temperature of the first period`() throws {
    let days = try Self.days(
      Self.period("2026-11-21T06:00:00-05:00", isDaytime: true, "15"),
      Self.period("2026-11-21T12:00:00-05:00", isDaytime: true, "null"))
    #expect(days.map(\.highestTemperatureDegreesCelsius) == [15])
  }
}
