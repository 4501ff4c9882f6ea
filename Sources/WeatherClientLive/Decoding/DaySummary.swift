// SPDX-License-Identifier: Apache-2.0

internal import Positioning
internal import WeatherClient

/// Days out of hours, for providers that have no days of their own.
enum DaySummary {
  /// How far the clock at a place is ahead of UTC by its longitude, as on ships at sea; for
  /// providers that do not say.
  static func nauticalOffsetSeconds(_ coordinate: Coordinate) -> Int {
    Int((coordinate.longitudeDegrees / 15).rounded()) * 3600
  }

  /// Lowest and highest temperature, precipitation, and the condition that lasts longest.
  ///
  /// A day of which the hours cover less than a half is left out: its lowest would not be the
  /// day's.
  static func days(of hours: [HourWeather], offsetSeconds: Int) -> [DayWeather] {
    var groups: [(date: UTCDate, hours: [HourWeather])] = []
    for hour in hours {
      let wall = UTCTime(secondsSince1970: hour.time.secondsSince1970 &+ Int64(offsetSeconds))
      if groups.last?.date == wall.date {
        groups[groups.count - 1].hours.append(hour)
      } else {
        groups.append((wall.date, [hour]))
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

  /// The earliest of those that last longest.
  private static func longestCondition(_ hours: [HourWeather]) -> WeatherCondition? {
    var seconds: [WeatherCondition: Int] = [:]
    for hour in hours {
      guard let condition = hour.weather.condition else { continue }
      seconds[condition, default: 0] += min(max(hour.durationSeconds, 0), 86_400)
    }
    guard let most = seconds.values.max() else { return nil }
    return hours.lazy.compactMap(\.weather.condition).first { seconds[$0] == most }
  }
}

extension [HourWeather] {
  /// For how long the beginning of a step may stand for now: the longest steps there are.
  private static var longestSeconds: Int64 { 6 * 3600 }

  /// The current step: the last that has begun, or the first if the time is unknown.
  ///
  /// Returns `nil` where the last has begun too long ago to say anything of now.
  func current(at now: UTCTime?) -> HourWeather? {
    guard let now, let begun = last(where: { $0.time <= now }) else { return first }
    let age = now.secondsSince1970 &- begun.time.secondsSince1970
    return age < Self.longestSeconds ? begun : nil
  }
}

extension WeatherReport {
  /// Fills the present from the last hour that has begun by then, and the days from all hours.
  mutating func summarizeHours(at now: UTCTime?) {
    if let hour = hours.current(at: now) { (self.now, validAt) = (hour.weather, hour.time) }
    days = DaySummary.days(
      of: hours, offsetSeconds: DaySummary.nauticalOffsetSeconds(coordinate))
  }
}
