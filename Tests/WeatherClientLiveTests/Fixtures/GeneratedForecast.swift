// SPDX-License-Identifier: Apache-2.0

import Foundation
import Positioning
import WeatherClient

@testable import WeatherClientLive

/// A forecast in the format of one provider, generated for a place.
enum GeneratedForecast: String, CaseIterable, Sendable {
  private typealias Object = [String: Any]

  case openMeteo, metNorway, nationalWeatherService, nwsGrid, openWeatherMap, oneCall, pirateWeather

  func provider() throws -> any WeatherProvider {
    let url = self == .oneCall ? "https://api.openweathermap.org/data/3.0" : nil
    let configuration = WeatherProviderConfiguration(baseURL: url, key: "k", contact: "c")
    return switch self {
    case .openMeteo: OpenMeteo(configuration)
    case .metNorway: try METNorway(configuration)
    case .nationalWeatherService, .nwsGrid: NationalWeatherService(configuration)
    case .openWeatherMap, .oneCall: try OpenWeatherMap(configuration)
    case .pirateWeather: try PirateWeather(configuration)
    }
  }

  /// Decodes the replies to a lookup at a place.
  func report(at place: ForecastPlace) throws -> WeatherReport {
    let replies = try replies(at: place).map { object in
      let data = try JSONSerialization.data(withJSONObject: object)
      var reply = WeatherReply(body: Array(data))
      reply.serverTime = UTCTime(secondsSince1970: place.now)
      return reply
    }
    return try provider().decode(replies, for: WeatherCell(place.coordinate))
      .removingImplausibleValues
  }

  /// Whether the reply has the extremes of the whole first day.
  var sendsToday: Bool { self == .openMeteo || self == .oneCall || self == .pirateWeather }

  private func replies(at place: ForecastPlace) throws -> [Object] {
    switch self {
    case .openMeteo: [openMeteo(place)]
    case .metNorway: [metNorway(place)]
    case .nationalWeatherService: nws(place)
    case .nwsGrid: nwsGrid(place)
    case .openWeatherMap: openWeatherMap(place)
    case .oneCall: [oneCall(place)]
    case .pirateWeather: [pirateWeather(place)]
    }
  }

  private func openMeteo(_ place: ForecastPlace) -> Object {
    // Open-Meteo uses the current offset for all days of the forecast.
    let first = place.day(at: place.now) * 86_400 - place.offset
    let hours = (0..<168).map { first + $0 * 3600 }
    let days = (0..<7).map { first + $0 * 86_400 }
    let extremes = days.map { place.extremes(from: $0, until: $0 + 86_400) }
    return [
      "timezone": place.zone, "utc_offset_seconds": place.offset,
      "current": ["time": place.now, "temperature_2m": place.temperature(place.now)] as Object,
      "hourly": ["time": hours, "temperature_2m": hours.map(place.temperature)] as Object,
      "daily": [
        "time": days, "temperature_2m_min": extremes.map(\.lowest),
        "temperature_2m_max": extremes.map(\.highest),
      ] as Object,
    ]
  }

  private func metNorway(_ place: ForecastPlace) -> Object {
    let first = place.now - place.now % 3600
    let hourly = (0..<60).map { first + $0 * 3600 }
    let next = ((hourly.last ?? first) / 21_600 + 1) * 21_600
    let steps =
      hourly.map { ($0, "next_1_hours") }
      + (0..<28).map { (next + $0 * 21_600, "next_6_hours") }
    let series = steps.map { second, period -> Object in
      let details = ["air_temperature": place.temperature(second)]
      let rain = ["precipitation_amount": 0.0]
      return [
        "time": Self.utc(second),
        "data": ["instant": ["details": details], period: ["details": rain]],
      ]
    }
    return ["properties": ["timeseries": series]]
  }

  private func nws(_ place: ForecastPlace) -> [Object] {
    let first = place.now - place.now % 3600
    func period(_ start: Int64, _ end: Int64, _ temperature: Double) -> Object {
      [
        "startTime": place.text(start), "endTime": place.text(end), "temperature": temperature,
        "temperatureUnit": "C",
      ]
    }
    let hours = (0..<156).map { first + $0 * 3600 }
      .map { period($0, $0 + 3600, place.temperature($0)) }
    // A day period is from 06:00 to 18:00, a night period from 18:00 to 06:00.
    let midnight = place.start(ofDay: place.day(at: place.now))
    let half: [Object] = (0..<16).compactMap { index in
      let start = midnight + 21_600 + Int64(index - 1) * 43_200
      let end = start + 43_200
      guard end > place.now else { return nil }
      let isDay = index % 2 == 1
      let extremes = place.extremes(from: start, until: end)
      var part = period(max(start, first), end, isDay ? extremes.highest : extremes.lowest)
      part["isDaytime"] = isDay
      return part
    }
    return [nwsPoint(place), ["properties": ["periods": hours]], ["properties": ["periods": half]]]
  }

  private func nwsGrid(_ place: ForecastPlace) -> [Object] {
    let first = place.now - place.now % 3600
    let values = (0..<168).map { first + $0 * 3600 }.map { second -> Object in
      ["validTime": Self.utc(second) + "/PT1H", "value": place.temperature(second)]
    }
    return [
      nwsPoint(place), ["properties": ["periods": [Object]()]],
      ["properties": ["temperature": ["uom": "wmoUnit:degC", "values": values] as Object]],
    ]
  }

  private func nwsPoint(_ place: ForecastPlace) -> Object {
    ["properties": ["gridId": "TAE", "gridX": 58, "gridY": 65, "timeZone": place.zone] as Object]
  }

  private func openWeatherMap(_ place: ForecastPlace) -> [Object] {
    func moment(_ second: Int64) -> Object {
      ["dt": second, "main": ["temp": place.temperature(second) + 273.15]]
    }
    let first = (place.now / 10_800 + 1) * 10_800
    let steps = (0..<40).map { moment(first + $0 * 10_800) }
    return [
      moment(place.now), ["list": steps, "city": ["timezone": place.offset(at: place.now)]],
    ]
  }

  private func oneCall(_ place: ForecastPlace) -> Object {
    func moment(_ second: Int64) -> Object {
      ["dt": second, "temp": place.temperature(second) + 273.15]
    }
    let first = place.now - place.now % 3600
    let today = place.day(at: place.now)
    return [
      "timezone": place.zone, "timezone_offset": place.offset, "current": moment(place.now),
      "hourly": (0..<48).map { moment(first + $0 * 3600) },
      "daily": (today..<today + 8).map { day -> Object in
        let start = place.start(ofDay: day)
        let extremes = place.extremes(from: start, until: place.start(ofDay: day + 1))
        return [
          "dt": start + 43_200,
          "temp": ["min": extremes.lowest + 273.15, "max": extremes.highest + 273.15],
        ]
      },
    ]
  }

  private func pirateWeather(_ place: ForecastPlace) -> Object {
    let first = place.now - place.now % 3600
    let today = place.day(at: place.now)
    func point(_ second: Int64) -> Object {
      ["time": second, "temperature": place.temperature(second)]
    }
    return [
      "timezone": place.zone, "offset": Double(place.offset) / 3600,
      "currently": point(place.now), "flags": ["units": "si"],
      "hourly": ["data": (0..<48).map { point(first + $0 * 3600) }],
      "daily": [
        "data": (today..<today + 8).map { day -> Object in
          let start = place.start(ofDay: day)
          let extremes = place.extremes(from: start, until: place.start(ofDay: day + 1))
          return [
            "time": start, "temperatureMin": extremes.lowest, "temperatureMax": extremes.highest,
          ]
        }
      ],
    ]
  }

  private static func utc(_ second: Int64) -> String {
    ForecastPlace(zone: "", 0, 0, "1970-01-01T00:00:00Z", 0).text(second)
  }
}
