// SPDX-License-Identifier: Apache-2.0

import Plugins
import Positioning
import WeatherClient
import WeatherFeature

/// The live view's section for the next hours and days of the forecast.
struct WatchForecast: WatchSection {
  /// The maximum number of rows for days.
  private static let maxDays = 7

  let state: WatchState
  let now: MonotonicTime
  /// The maximum number of rows for hours.
  let maxHours: Int

  var rows: [WatchRow] {
    guard state.wantsWeather, let newest = state.outlook, let utc = utcNow(newest) else {
      return []
    }
    var hours = TextTable()
    for hour in (newest.value.report?.hours ?? []).filter({ $0.time > utc }).prefix(maxHours) {
      hours.add(columns(hour))
    }
    var days = TextTable()
    let place = newest.value.report?.coordinate ?? newest.value.coordinate
    for day in newest.value.days.filter({ !$0.hasEnded(at: utc, place) }).prefix(Self.maxDays) {
      days.add(columns(day))
    }
    return section("Hours \(state.format.zoneName(at: utc))", hours.lines)
      + section("Days", days.lines)
  }

  private func section(_ label: String, _ lines: [String]) -> [WatchRow] {
    lines.enumerated().map { index, line in
      WatchRow(rank: .detail, label: index == 0 ? label : "", text: line)
    }
  }

  /// The current UTC time, which is the outlook's time plus the time since the outlook arrived.
  private func utcNow(_ newest: WatchState.Timestamped<WeatherOutlook>) -> UTCTime? {
    let seconds = min(max(now.seconds(since: newest.at), 0), 1e9)
    return newest.value.time.map {
      UTCTime(secondsSince1970: $0.secondsSince1970 + Int64(seconds))
    }
  }

  private func columns(_ hour: HourWeather) -> [String] {
    let weather = hour.weather
    return [
      state.format.hour(hour.time),
      weather.temperatureDegreesCelsius.map { state.format.temperature($0) } ?? "-",
      weather.condition?.title ?? "-",
      weather.windSpeedMetersPerSecond.map { "wind " + state.format.wind($0) } ?? "-",
      rain(weather.precipitationMillimeters, hour.precipitationProbabilityPercent),
    ]
  }

  private func columns(_ day: DayWeather) -> [String] {
    let temperatures = [day.lowestTemperatureDegreesCelsius, day.highestTemperatureDegreesCelsius]
      .map { $0.map { state.format.temperature($0) } ?? "-" }
    return [
      ValueFormat.day(day.date),
      temperatures.joined(separator: " to "), day.condition?.title ?? "-",
      day.highestWindSpeedMetersPerSecond.map { "wind " + state.format.wind($0) } ?? "-",
      rain(day.precipitationMillimeters, day.precipitationProbabilityPercent),
    ]
  }

  private func rain(_ millimeters: Double?, _ percent: Double?) -> String {
    let parts = [
      millimeters.map { state.format.precipitation($0) },
      percent.map { Text.fixed($0, 0) + " %" },
    ].compactMap { $0 }
    return parts.isEmpty ? "-" : parts.joined(separator: ", ")
  }
}
