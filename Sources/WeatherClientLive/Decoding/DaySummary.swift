// SPDX-License-Identifier: Apache-2.0

internal import Positioning
internal import SystemSupport
internal import WeatherClient

/// Computes the days of a forecast from its hours and from the days that a provider sends.
///
/// A day is a day of the place, in the place's time zone. The extremes of a day that the hours cover
/// are those of its hours, since a provider may use days of another zone, or one offset before and
/// after a change of daylight saving time.
struct DaySummary {
  /// The zone whose midnights separate the days.
  let zone: LocalZone

  /// Returns the days, the earliest first.
  ///
  /// The first day of a forecast is usually today, of which some hours have passed. Its extremes are
  /// those of the whole day if the provider sends them, otherwise those of the remaining hours. A
  /// later day that the provider does not send is included if at least half of it is covered.
  func days(of hours: [HourWeather], _ provided: [DayWeather]) -> [DayWeather] {
    let groups = Dictionary(grouping: hours) { zone.local($0.time).date }
    let sent = Dictionary(provided.map { ($0.date, $0) }) { first, _ in first }
    let first = hours.first.map { zone.local($0.time).date }
    return Set(groups.keys).union(sent.keys).sorted().compactMap { date in
      day(date, of: groups[date] ?? [], hours, sent[date], isFirst: date == first)
    }
  }

  private func day(
    _ date: UTCDate, of own: [HourWeather], _ hours: [HourWeather], _ provided: DayWeather?,
    isFirst: Bool
  ) -> DayWeather? {
    let (start, end) = (zone.start(of: date), zone.start(of: date.adding(days: 1)))
    var day = provided ?? DayWeather(date: date)
    day.endsAt = end
    guard !own.isEmpty else { return day }
    let length = end.secondsSince1970 - start.secondsSince1970
    let covered = Self.coveredSeconds(of: hours, from: start, until: end)
    // In a zone with minutes in its offset, the first or last step extends beyond midnight.
    let isComplete = covered > length - 3600
    let temperatures = own.compactMap(\.weather.temperatureDegreesCelsius)
    guard provided != nil || (isFirst && !temperatures.isEmpty) || covered * 2 >= length else {
      return nil
    }
    let wholeDay = isComplete ? nil : provided
    day.lowestTemperatureDegreesCelsius =
      (temperatures + [wholeDay?.lowestTemperatureDegreesCelsius].compactMap { $0 }).min()
      ?? provided?.lowestTemperatureDegreesCelsius
    day.highestTemperatureDegreesCelsius =
      (temperatures + [wholeDay?.highestTemperatureDegreesCelsius].compactMap { $0 }).max()
      ?? provided?.highestTemperatureDegreesCelsius
    let winds = own.compactMap(\.weather.windSpeedMetersPerSecond)
    day.highestWindSpeedMetersPerSecond =
      (winds + [wholeDay?.highestWindSpeedMetersPerSecond].compactMap { $0 }).max()
      ?? provided?.highestWindSpeedMetersPerSecond
    let amounts = own.compactMap(\.weather.precipitationMillimeters)
    let hasAllAmounts = isComplete && amounts.count == own.count
    if !amounts.isEmpty, hasAllAmounts || day.precipitationMillimeters == nil {
      day.precipitationMillimeters = amounts.reduce(0, +)
    }
    day.precipitationProbabilityPercent =
      day.precipitationProbabilityPercent ?? own.compactMap(\.precipitationProbabilityPercent).max()
    day.condition = day.condition ?? Self.longestCondition(own)
    return day
  }

  /// Returns the number of seconds between two times for which hours contain a temperature.
  private static func coveredSeconds(
    of hours: [HourWeather], from start: UTCTime, until end: UTCTime
  ) -> Int64 {
    hours.reduce(0) { sum, hour in
      let (begin, first) = (hour.time.secondsSince1970, start.secondsSince1970)
      guard hour.weather.temperatureDegreesCelsius != nil, begin > first - 86_400,
        begin < end.secondsSince1970
      else { return sum }
      let duration = Int64(min(max(hour.durationSeconds, 0), 86_400))
      return sum + max(0, min(begin + duration, end.secondsSince1970) - max(begin, first))
    }
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
  /// Sets the current weather from the step that is current at `now`, or leaves it unchanged without
  /// such a step.
  mutating func setCurrent(at now: UTCTime?) {
    if let hour = hours.current(at: now) { (self.now, validAt) = (hour.weather, hour.time) }
  }

  /// Sets the days from the hours and from the days that the provider sends.
  ///
  /// If no step of the forecast begins before midnight, the current weather is used for today.
  mutating func setDays(_ provided: [DayWeather] = [], in zone: LocalZone) {
    days = provided
    self = removingImplausibleValues
    var steps = hours
    if let validAt, let first = hours.first, zone.local(validAt).date < zone.local(first.time).date,
      validAt.secondsSince1970 > first.time.secondsSince1970 &- 21_600,
      now.temperatureDegreesCelsius != nil
    {
      var step = HourWeather(time: validAt, durationSeconds: 0)
      step.weather = now
      // The amount may be for the time before.
      step.weather.precipitationMillimeters = nil
      steps.insert(step, at: 0)
    }
    days = DaySummary(zone: zone).days(of: steps, days)
  }
}
