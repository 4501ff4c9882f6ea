// SPDX-License-Identifier: Apache-2.0

internal import Positioning
internal import WeatherClient

/// Computes daily summaries from hourly values, for providers that send no daily forecast.
enum DaySummary {
  /// Returns the nautical time zone offset from UTC in seconds: one hour per 15 degrees of
  /// longitude.
  ///
  /// Used if the provider reports no offset.
  static func nauticalOffsetSeconds(_ coordinate: Coordinate) -> Int {
    Int((coordinate.longitudeDegrees / 15).rounded()) * 3600
  }

  /// Returns a summary for each local day of which at least half is covered by hours.
  ///
  /// A summary contains the lowest and highest temperature, the total precipitation, the highest
  /// wind speed, and the condition with the longest duration. Days with less coverage are omitted,
  /// since their extreme values would be wrong.
  static func days(of hours: [HourWeather], offsetSeconds: Int) -> [DayWeather] {
    var groups: [(date: UTCDate, hours: [HourWeather])] = []
    for hour in hours {
      let local = UTCTime(secondsSince1970: hour.time.secondsSince1970 &+ Int64(offsetSeconds))
      if groups.last?.date == local.date {
        groups[groups.count - 1].hours.append(hour)
      } else {
        groups.append((local.date, [hour]))
      }
    }
    return groups.compactMap { summary(of: $0.hours, date: $0.date) }
  }

  private static func summary(of hours: [HourWeather], date: UTCDate) -> DayWeather? {
    let covered = hours.reduce(0) { $0 + min(max($1.durationSeconds, 0), 86_400) }
    guard covered >= 43_200 else { return nil }
    var day = DayWeather(date: date)
    let temperatures = hours.compactMap(\.weather.temperatureDegreesCelsius)
    day.lowestTemperatureDegreesCelsius = temperatures.min()
    day.highestTemperatureDegreesCelsius = temperatures.max()
    day.highestWindSpeedMetersPerSecond = hours.compactMap(\.weather.windSpeedMetersPerSecond).max()
    let amounts = hours.compactMap(\.weather.precipitationMillimeters)
    if !amounts.isEmpty { day.precipitationMillimeters = amounts.reduce(0, +) }
    day.precipitationProbabilityPercent = hours.compactMap(\.precipitationProbabilityPercent).max()
    day.condition = longestCondition(hours)
    return day
  }

  /// Returns the condition with the longest total duration; of equal durations, the earliest.
  private static func longestCondition(_ hours: [HourWeather]) -> WeatherCondition? {
    var seconds: [WeatherCondition: Int] = [:]
    for hour in hours {
      guard let condition = hour.weather.condition else { continue }
      seconds[condition, default: 0] += min(max(hour.durationSeconds, 0), 86_400)
    }
    guard let longest = seconds.values.max() else { return nil }
    return hours.lazy.compactMap(\.weather.condition).first { seconds[$0] == longest }
  }
}

extension [HourWeather] {
  /// The maximum age of the current step in seconds: the length of the longest steps that providers
  /// send.
  private static var longestSeconds: Int64 { 6 * 3600 }

  /// Returns the last step that has begun, or the first step if `now` is `nil` or before all steps.
  ///
  /// Returns `nil` if the last step that has begun is six hours old or older.
  func current(at now: UTCTime?) -> HourWeather? {
    guard let now, let begun = last(where: { $0.time <= now }) else { return first }
    let age = now.secondsSince1970 &- begun.time.secondsSince1970
    return age < Self.longestSeconds ? begun : nil
  }
}

extension WeatherReport {
  /// Sets the current weather from the step that is current at `now`, and the days from all hours.
  mutating func summarizeHours(at now: UTCTime?) {
    if let hour = hours.current(at: now) { (self.now, validAt) = (hour.weather, hour.time) }
    days = DaySummary.days(
      of: hours, offsetSeconds: DaySummary.nauticalOffsetSeconds(coordinate))
  }
}
