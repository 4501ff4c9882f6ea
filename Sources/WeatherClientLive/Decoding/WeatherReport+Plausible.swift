// SPDX-License-Identifier: Apache-2.0

internal import WeatherClient

extension WeatherReport {
  /// A copy in which implausible values are `nil`, such as -999, which some providers send for a
  /// missing value.
  ///
  /// The limits include every record in the WMO's archive of weather extremes.
  var removingImplausibleValues: WeatherReport {
    var report = self
    report.now = now.removingImplausibleValues
    report.hours = hours.map { hour in
      var hour = hour
      hour.weather = hour.weather.removingImplausibleValues
      hour.precipitationProbabilityPercent.keep(in: Plausible.percent)
      return hour
    }
    report.days = days.map { day in
      var day = day
      day.lowestTemperatureDegreesCelsius.keep(in: Plausible.celsius)
      day.highestTemperatureDegreesCelsius.keep(in: Plausible.celsius)
      day.precipitationMillimeters.keep(in: Plausible.millimeters)
      day.precipitationProbabilityPercent.keep(in: Plausible.percent)
      day.highestWindSpeedMetersPerSecond.keep(in: Plausible.metersPerSecond)
      return day
    }
    return report
  }

  /// Whether the report contains no weather values.
  var isBlank: Bool {
    now == CurrentWeather()
      && hours.allSatisfy {
        $0.weather == CurrentWeather() && $0.precipitationProbabilityPercent == nil
      }
      && days.allSatisfy { day in
        var blank = DayWeather(date: day.date)
        blank.endsAt = day.endsAt
        return day == blank
      }
  }
}

private enum Plausible {
  static let celsius = -100.0...70.0
  static let percent = 0.0...100.0
  static let hectopascals = 800.0...1100.0
  static let metersPerSecond = 0.0...150.0
  static let degrees = 0.0...360.0
  static let millimeters = 0.0...2500.0
  static let meters = 0.0...1_000_000.0
}

extension CurrentWeather {
  fileprivate var removingImplausibleValues: CurrentWeather {
    var weather = self
    weather.temperatureDegreesCelsius.keep(in: Plausible.celsius)
    weather.apparentTemperatureDegreesCelsius.keep(in: Plausible.celsius)
    weather.dewPointDegreesCelsius.keep(in: Plausible.celsius)
    weather.humidityPercent.keep(in: Plausible.percent)
    weather.pressureSeaLevelHectopascals.keep(in: Plausible.hectopascals)
    weather.windSpeedMetersPerSecond.keep(in: Plausible.metersPerSecond)
    weather.windGustMetersPerSecond.keep(in: Plausible.metersPerSecond)
    weather.windDirectionDegreesTrue.keep(in: Plausible.degrees)
    weather.precipitationMillimeters.keep(in: Plausible.millimeters)
    weather.cloudCoverPercent.keep(in: Plausible.percent)
    weather.visibilityMeters.keep(in: Plausible.meters)
    return weather
  }
}

extension Double? {
  fileprivate mutating func keep(in range: ClosedRange<Double>) {
    if let value = self, !range.contains(value) { self = nil }
  }
}
