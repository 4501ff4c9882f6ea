// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Positioning
import Testing
import WeatherClient

@testable import WeatherClientLive

/// Decodes collected replies.
///
/// The expected values were read from the files by hand.
@Suite("Collected replies", .enabled(if: Samples.arePresent, Samples.absence))
struct SampleReplyTests {
  private static let key = WeatherProviderConfiguration(key: "k", contact: "c")

  private func report(
    _ provider: any WeatherProvider, _ replies: [WeatherReply], at place: Coordinate
  ) throws -> WeatherReport {
    try provider.decode(replies, for: WeatherCell(place)).removingImplausibleValues
  }

  private func time(_ text: String) throws -> UTCTime {
    try #require(ProviderTime.iso(text)?.utc)
  }

  private func isClose(_ value: Double?, _ expected: Double) -> Bool {
    value.map { abs($0 - expected) < 1e-6 } ?? false
  }

  @Test func `Open-Meteo: local times in Paris are converted to UTC`() throws {
    let paris = try report(
      OpenMeteo(), [Samples.reply("open_meteo_current_daily_paris")], at: .at(48.8, 2.34))
    #expect(paris.now.apparentTemperatureDegreesCelsius == 6.2)
    #expect(paris.validAt == (try time("2024-03-01T14:30:00+01:00")))
    #expect(paris.days.map(\.condition) == [.lightRain, .lightRainShowers])
    #expect(paris.days.map(\.date.civil.day) == [29, 1])
    #expect(paris.days.first?.sunrise == (try time("2024-02-29T07:33:00+01:00")))
  }

  @Test func `Open-Meteo: a reply for Bogota with the old field names is decoded`() throws {
    let bogota = try report(
      OpenMeteo(), [Samples.reply("open_meteo_current_hourly_bogota")], at: .at(6.25, -75.56))
    #expect(bogota.now.temperatureDegreesCelsius == 22.8)
    #expect(bogota.now.humidityPercent == 65)
    #expect(bogota.now.condition == .overcast)
    #expect(bogota.hours.map(\.weather.humidityPercent) == [88, 90, 91])
    #expect(bogota.hours.map(\.weather.condition) == [.overcast, .overcast, .partlyCloudy])
    #expect(bogota.hours.last?.time == (try time("2025-09-29T02:00:00-05:00")))
  }

  @Test func `Open-Meteo: a reply for New Jersey with summer time and wind in km/h is decoded`() throws {
    let jersey = try report(
      OpenMeteo(), [Samples.reply("open_meteo_current_newjersey_dst")], at: .at(40.81, -74.07))
    #expect(isClose(jersey.now.windSpeedMetersPerSecond, 1.527778))
    #expect(jersey.validAt == (try time("2026-09-01T13:00:00Z")))
    #expect(jersey.now.apparentTemperatureDegreesCelsius == 28.1)
    #expect(jersey.now.humidityPercent == 89)
  }

  @Test func `Open-Meteo: the reply of the server's own self-test is decoded`() throws {
    let selfTest = try report(
      OpenMeteo(), [Samples.reply("open_meteo_format_selftest")], at: .at(41, 2))
    #expect(selfTest.hours.count == 48)
    #expect(selfTest.hours.allSatisfy { $0.weather.temperatureDegreesCelsius == 20 })
    #expect(isClose(selfTest.hours.first?.weather.windSpeedMetersPerSecond, 2.777778))
    #expect(selfTest.hours.last?.time == (try time("2022-07-13T23:00:00Z")))
    #expect(selfTest.now == CurrentWeather())
  }

  @Test func `Open-Meteo: error replies result in errors with the provider's reason`() throws {
    for name in ["400", "400_latitude", "429"] {
      #expect(throws: WeatherError.self) {
        try report(OpenMeteo(), [Samples.reply("open_meteo_error_\(name)")], at: .at(0, 0))
      }
    }
    #expect(
      OpenMeteo().refusal(try Samples.reply("open_meteo_error_400_latitude", status: 400))
        == .badStatus(
          code: 400, reason: "Latitude must be in range of -90 to 90°. Given: …."))
    #expect(
      OpenMeteo().refusal(try Samples.reply("open_meteo_error_429", status: 429))
        .retryAfterSeconds == 60)
  }

  @Test(arguments: [
    ("No data for location lat=52.53 lon=-13.36", "No data for location lat=… lon=-…"),
    ("52,53/13,36 at 2 km", "…/… at 2 km"),
    ("https://a.b/v1?q=.5,1e-1.25", "https://a.b/v1?q=…e-…"),
    ("52.525,13.405", "…"), ("Retry in 60 s.", "Retry in 60 s."),
  ])
  func `decimal numbers in a provider's error message are removed, since they may be coordinates`(
    reason: String, sanitized: String
  ) {
    let body = #"{"reason":"\#(reason)"}"#
    let reply = WeatherReply(status: 400, body: Array(body.utf8))
    #expect(OpenMeteo().refusal(reply) == .badStatus(code: 400, reason: sanitized))
  }

  @Test func `MET Norway: compact forecasts for Beijing and New York are decoded`() throws {
    let provider = try METNorway(Self.key)
    let beijing = try report(
      provider, [WeatherReply(body: Samples.metNorway("metno_compact_beijing"))],
      at: .at(39.9, 116.4))
    #expect(beijing.now.temperatureDegreesCelsius == 30.4)
    #expect(beijing.now.pressureSeaLevelHectopascals == 1003.6)
    #expect(beijing.now.windDirectionDegreesTrue == 219.5)
    #expect(beijing.now.condition == .clear)
    #expect(beijing.validAt == (try time("2020-07-20T11:00:00Z")))
    #expect(beijing.issuedAt == (try time("2020-07-20T01:30:57Z")))
    #expect(beijing.hours.count == 82)
    #expect(beijing.hours.count { $0.durationSeconds == 3600 } == 55)
    #expect(beijing.hours.last?.durationSeconds == 0)
    #expect(beijing.hours.last?.weather.temperatureDegreesCelsius == 37.6)
    // The time zone of the nearest town is UTC+8.
    let day = try #require(beijing.days.first { $0.date.civil.day == 21 })
    #expect(day.lowestTemperatureDegreesCelsius == 23.8)
    #expect(day.highestTemperatureDegreesCelsius == 33.8)
    #expect(beijing.days.first { $0.date.civil.day == 26 }?.precipitationMillimeters == 0.4)

    let newYork = try report(
      provider, [WeatherReply(body: Samples.metNorway("metno_compact_newyork"))],
      at: .at(40.7, -74))
    #expect(newYork.now.temperatureDegreesCelsius == 26.5)
    #expect(newYork.now.humidityPercent == 81.3)
    #expect(newYork.now.condition == .partlyCloudy)
    let wet = try #require(newYork.days.first { $0.date.civil.day == 24 })
    #expect(isClose(wet.precipitationMillimeters, 3.6))
  }

  @Test func `MET Norway: a complete forecast for London is decoded`() throws {
    let london = try report(
      METNorway(Self.key), [WeatherReply(body: Samples.metNorway("metno_complete_london"))],
      at: .at(51.5, -0.1))
    #expect(london.now.temperatureDegreesCelsius == 18.8)
    #expect(london.now.dewPointDegreesCelsius == 7.2)
    #expect(london.now.windSpeedMetersPerSecond == 2.3)
    #expect(london.now.cloudCoverPercent == 12.5)
    let hour = try #require(london.hours.first { $0.weather.temperatureDegreesCelsius == 23.2 })
    #expect(hour.time <= (try time("2020-07-22T17:00:00Z")))
    // All symbols in the reply have a mapping.
    for hour in london.hours {
      if case .unknown(let code) = hour.weather.condition { Issue.record("\(code)") }
    }
  }

  @Test func `MET Norway: the current weather is the last step that has begun by the server's clock`() throws {
    var reply = WeatherReply(body: try Samples.metNorway("metno_compact_newyork"))
    reply.serverTime = try time("2020-07-22T17:59:00Z")
    let report = try METNorway(Self.key).decode([reply], for: WeatherCell(.at(40.7, -74)))
    #expect(report.validAt == (try time("2020-07-22T17:00:00Z")))
    #expect(report.now.temperatureDegreesCelsius == 29.3)
    reply.serverTime = try time("2021-01-01T00:00:00Z")
    #expect(
      try METNorway(Self.key).decode([reply], for: WeatherCell(.at(40.7, -74))).now
        == CurrentWeather())
  }

  @Test func `National Weather Service: a point and its hourly and daily forecasts are decoded`() throws {
    let provider = NationalWeatherService(Self.key)
    let cell = WeatherCell(.at(30, -85))
    let point = try Samples.reply("nws_points")
    #expect(
      try provider.request(for: cell, after: [point])?.target
        == "/gridpoints/TAE/58,65/forecast/hourly?units=si")
    let hourly = try Samples.reply("nws_gridpoints_forecast_hourly_si")
    #expect(
      try provider.request(for: cell, after: [point, hourly])?.target
        == "/gridpoints/TAE/58,65/forecast?units=si")
    let report = try report(
      provider, [point, hourly, Samples.reply("nws_gridpoints_forecast_si")], at: .at(30, -85))
    #expect(report.now.temperatureDegreesCelsius == 25.5)
    #expect(report.now.windSpeedMetersPerSecond == 0)
    #expect(report.now.condition == .partlyCloudy)
    #expect(report.validAt == (try time("2019-10-15T00:00:00Z")))
    #expect(report.issuedAt == (try time("2019-10-14T23:16:24Z")))
    #expect(report.hours.map(\.weather.windDirectionDegreesTrue) == [180, 225])
    #expect(report.hours.map(\.precipitationProbabilityPercent) == [20, 20])
    let day = try #require(report.days.first)
    // The two hours are of the next day.
    #expect(report.days.count == 2 && day.date.civil == (2019, 10, 13))
    #expect(day.highestTemperatureDegreesCelsius == 5)
    #expect(day.lowestTemperatureDegreesCelsius == 20)
    #expect(day.condition == .thunderstorm)
    // 16 km/h by day; 7.5 km/h by night, the mean of 5 and 10 km/h.
    #expect(isClose(day.highestWindSpeedMetersPerSecond, 4.444444))
  }

  @Test func `National Weather Service: the raw grid is requested if the hourly forecast is empty`() throws {
    let provider = NationalWeatherService(Self.key)
    let cell = WeatherCell(.at(30, -85))
    let point = try Samples.reply("nws_points")
    let empty = try Samples.reply("nws_gridpoints_forecast_empty_us")
    #expect(
      try provider.request(for: cell, after: [point, empty])?.target == "/gridpoints/TAE/58,65")
    let report = try report(
      provider, [point, empty, Samples.reply("nws_detailed_forecast")], at: .at(30, -85))
    #expect(isClose(report.now.temperatureDegreesCelsius, 22.777778))
    #expect(isClose(report.now.windSpeedMetersPerSecond, 5.658889))
    #expect(report.now.humidityPercent == 73 && report.now.cloudCoverPercent == 71)
    #expect(report.now.condition == .mostlyCloudy)
    #expect(report.issuedAt == (try time("2022-02-04T03:15:41Z")))
    let hour = try #require(report.hours.first { $0.time == (try? time("2022-02-04T07:00:00Z")) })
    // 2.032 mm over six hours.
    #expect(isClose(hour.weather.precipitationMillimeters, 0.338667))
    #expect(hour.precipitationProbabilityPercent == 20)
    #expect(hour.weather.condition == .lightRainShowers)
    #expect(isClose(hour.weather.dewPointDegreesCelsius, 18.333333))
  }

  @Test func `National Weather Service: an observation with values replaces the current weather`() throws {
    let provider = NationalWeatherService(Self.key)
    let stations = try Samples.reply("nws_gridpoints_stations")
    // In GeoJSON, the longitude comes before the latitude.
    let first = try #require(try stations.json(NWSStationsReply.self).features.first ?? nil)
    #expect(first.properties?.stationIdentifier == "KCMH")
    #expect(first.geometry?.coordinates?.first.flatMap { $0 } == -82.87691)
    #expect(first.geometry?.coordinates?.last.flatMap { $0 } == 39.9906999)
    let before = [
      try Samples.reply("nws_points"), try Samples.reply("nws_gridpoints_forecast_hourly_si"),
      try Samples.reply("nws_gridpoints_forecast_si"), stations,
    ]
    #expect(
      try provider.request(for: WeatherCell(.at(39.99, -82.88)), after: before)?.target
        == "/stations/KCMH/observations/latest")
    // The nearest station is too far from this coordinate.
    #expect(try provider.request(for: WeatherCell(.at(30, -85)), after: before) == nil)
    var latest = try Samples.reply("nws_stations_observations_latest")
    latest.serverTime = try time("2022-03-03T00:10:00Z")
    let report = try report(provider, before + [latest], at: .at(26.07, -80.15))
    #expect(report.kind == .observed)
    #expect(report.now.temperatureDegreesCelsius == 22.8)
    #expect(isClose(report.now.windSpeedMetersPerSecond, 2.1))
    #expect(report.now.pressureSeaLevelHectopascals == 1018.7)
    #expect(report.now.visibilityMeters == 16_090)
    #expect(report.now.windGustMetersPerSecond == nil)
    #expect(report.now.condition == .mostlyCloudy)
    #expect(report.validAt == (try time("2022-03-02T23:53:00Z")))
    let withoutValues = try self.report(
      provider, before + [Samples.reply("nws_stations_observations_missing_value")],
      at: .at(26.07, -80.15))
    // The observation has no values, so the current weather is from the forecast.
    #expect(withoutValues.kind == .forecast && withoutValues.now.temperatureDegreesCelsius == 25.5)
    #expect(withoutValues.now.windSpeedMetersPerSecond == 0)
    #expect(withoutValues.validAt == (try time("2019-10-15T00:00:00Z")))
  }

  @Test func `Pirate Weather: a reply in Canadian units is decoded`() throws {
    let report = try report(
      PirateWeather(Self.key), [Samples.reply("pirateweather_forecast_docs")],
      at: .at(45.42, -74.3))
    #expect(report.now.temperatureDegreesCelsius == -0.88)
    #expect(isClose(report.now.windSpeedMetersPerSecond, 4.925))
    #expect(isClose(report.now.windGustMetersPerSecond, 13.011111))
    #expect(isClose(report.now.humidityPercent, 82))
    #expect(isClose(report.now.visibilityMeters, 16_090))
    #expect(report.now.condition == .snow)
    #expect(report.validAt == UTCTime(secondsSince1970: 1_762_718_100))
    #expect(isClose(report.hours.first?.precipitationProbabilityPercent, 47))
    let day = try #require(report.days.first)
    // Local midnight is at 05:00 UTC.
    #expect(day.date.civil == (2025, 11, 9))
    #expect(day.lowestTemperatureDegreesCelsius == -2.81)
    #expect(day.highestTemperatureDegreesCelsius == 0.04)
    #expect(day.condition == .sleet)
    #expect(day.sunrise == UTCTime(secondsSince1970: 1_762_688_903))
  }

  @Test func `OpenWeatherMap: current weather and forecast in kelvin are decoded`() throws {
    let provider = try OpenWeatherMap(Self.key)
    let report = try report(
      provider,
      [Samples.reply("owm_observation"), Samples.reply("owm_three_hours_forecast")],
      at: .at(51.51, -0.13))
    #expect(isClose(report.now.temperatureDegreesCelsius, 15.29))
    #expect(report.now.pressureSeaLevelHectopascals == 1022)
    #expect(report.now.windSpeedMetersPerSecond == 1.54)
    #expect(report.now.windGustMetersPerSecond == 2.57)
    #expect(report.now.condition == .overcast)
    #expect(report.validAt == UTCTime(secondsSince1970: 1_378_895_177))
    let hour = try #require(report.hours.first)
    #expect(isClose(hour.weather.temperatureDegreesCelsius, 15.28))
    // The reply also contains the pressure at ground level, 1026.07, which is not used.
    #expect(hour.weather.pressureSeaLevelHectopascals == 1034.73)
    #expect(hour.weather.windSpeedMetersPerSecond == 4.26)

    let atCoordinates = try self.report(
      provider,
      [Samples.reply("owm_observation"), Samples.reply("owm_three_hours_forecast_at_coords")],
      at: .at(51.53, -0.06))
    #expect(isClose(atCoordinates.hours.first?.weather.temperatureDegreesCelsius, 10.62))
    #expect(atCoordinates.hours.first?.weather.condition == .mostlyCloudy)
    #expect(atCoordinates.hours.first?.weather.windDirectionDegreesTrue == 59.0039)
  }

  @Test func `OpenWeatherMap: an error status inside a reply with status 200 is thrown`() throws {
    #expect(
      throws: WeatherError.unsupported("weather for this place: Error: Not found city")
    ) {
      try OpenWeatherMap(Self.key).request(
        for: WeatherCell(.at(0, 0)), after: [Samples.reply("owm_observation_not_found")])
    }
  }

  @Test func `OpenWeatherMap: a One Call reply is decoded`() throws {
    let provider = try OpenWeatherMap(
      WeatherProviderConfiguration(
        baseURL: "https://api.openweathermap.org/data/3.0/", key: "k"))
    #expect(
      try provider.request(for: WeatherCell(.at(60.99, 30.9)), after: [])?.target
        == "/onecall?lat=60.99&lon=30.9&units=standard&appid=k&exclude=minutely,alerts")
    let report = try report(provider, [Samples.reply("owm_one_call")], at: .at(60.99, 30.9))
    #expect(isClose(report.now.temperatureDegreesCelsius, 7))
    #expect(report.now.precipitationMillimeters == 1.02)
    #expect(report.now.condition == .rain)
    #expect(report.now.visibilityMeters == 6437)
    #expect(report.hours.first?.weather.windSpeedMetersPerSecond == 4.88)
    let day = try #require(report.days.first)
    #expect(day.date.civil == (2020, 4, 4))
    #expect(isClose(day.lowestTemperatureDegreesCelsius, 6.77))
    #expect(isClose(day.highestTemperatureDegreesCelsius, 12.02))
    #expect(day.precipitationMillimeters == 5.97)
    #expect(day.sunset == UTCTime(secondsSince1970: 1_586_048_382))
  }
}
