// SPDX-License-Identifier: Apache-2.0

internal import Positioning
internal import WeatherClient

/// A forecast with one period per hour, or with one period per day and one per night.
struct NWSForecastReply: Decodable {
  struct Properties: Decodable {
    var updateTime: String?
    var generatedAt: String?
    var periods: [Period?]
  }

  /// A period.
  ///
  /// Every field may be null.
  struct Period: Decodable {
    var startTime: String?
    var endTime: String?
    var isDaytime: Bool?
    var temperature: NWSValue?
    var temperatureUnit: String?
    var probabilityOfPrecipitation: NWSValue?
    var dewpoint: NWSValue?
    var relativeHumidity: NWSValue?
    var windSpeed: String?
    var windDirection: String?
    var icon: String?
    var shortForecast: String?
  }

  var properties: Properties

  /// The first 200 periods, enough for an hourly forecast of a week.
  private var periods: [Period] { properties.periods.prefix(200).compactMap { $0 } }

  var hasValues: Bool { periods.contains { $0.startTime != nil && $0.temperature?.value != nil } }

  /// Adds the current weather and the hours to a report.
  func fillHours(_ blank: WeatherReport, at now: UTCTime?) throws(WeatherError) -> WeatherReport {
    var report = blank
    report.issuedAt = ProviderTime.iso(properties.updateTime ?? properties.generatedAt)?.utc
    for period in periods {
      guard let start = ProviderTime.iso(period.startTime)?.utc else { continue }
      let end = ProviderTime.iso(period.endTime)?.utc
      let seconds = end.map { $0.secondsSince1970 &- start.secondsSince1970 } ?? 3600
      var hour = HourWeather(
        time: start, durationSeconds: Int(min(max(seconds, 0), 86_400)))
      hour.weather = try period.weather()
      hour.precipitationProbabilityPercent = period.probabilityOfPrecipitation?.value
      report.hours.append(hour)
    }
    if let hour = report.hours.current(at: now) {
      report.now = hour.weather
      report.validAt = hour.time
    }
    return report
  }

  /// Returns the days.
  ///
  /// The highest temperature is from the daytime period, the lowest from the night periods.
  func days() throws(WeatherError) -> [DayWeather] {
    var days: [DayWeather] = []
    for period in periods {
      guard let date = ProviderTime.iso(period.startTime)?.date else { continue }
      if days.last?.date != date { days.append(DayWeather(date: date)) }
      let index = days.count - 1
      let weather = try period.weather()
      if period.isDaytime == true {
        let temperatures = [
          days[index].highestTemperatureDegreesCelsius, weather.temperatureDegreesCelsius,
        ]
        days[index].highestTemperatureDegreesCelsius = temperatures.compactMap { $0 }.max()
        days[index].condition = weather.condition ?? days[index].condition
      } else {
        // A date may have two night periods, before dawn and in the evening. Use the colder one.
        let temperatures = [
          days[index].lowestTemperatureDegreesCelsius, weather.temperatureDegreesCelsius,
        ]
        days[index].lowestTemperatureDegreesCelsius = temperatures.compactMap { $0 }.min()
        days[index].condition = days[index].condition ?? weather.condition
      }
      let probabilities = [
        days[index].precipitationProbabilityPercent, period.probabilityOfPrecipitation?.value,
      ]
      days[index].precipitationProbabilityPercent = probabilities.compactMap { $0 }.max()
      let winds = [days[index].highestWindSpeedMetersPerSecond, weather.windSpeedMetersPerSecond]
      days[index].highestWindSpeedMetersPerSecond = winds.compactMap { $0 }.max()
    }
    return days
  }
}

extension NWSForecastReply.Period {
  func weather() throws(WeatherError) -> CurrentWeather {
    var weather = CurrentWeather()
    weather.temperatureDegreesCelsius = try ProviderUnit.celsius(
      temperature?.value, temperature?.unitCode ?? temperatureUnit,
      "properties.periods.temperatureUnit")
    weather.dewPointDegreesCelsius = try ProviderUnit.celsius(
      dewpoint?.value, dewpoint?.unitCode, "properties.periods.dewpoint.unitCode")
    weather.humidityPercent = relativeHumidity?.value
    weather.windSpeedMetersPerSecond = NWSText.windMetersPerSecond(windSpeed)
    weather.windDirectionDegreesTrue = NWSText.degrees(windDirection)
    weather.condition = icon.map(NWSText.condition)
    return weather
  }
}
