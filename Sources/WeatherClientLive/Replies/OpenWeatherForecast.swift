// SPDX-License-Identifier: Apache-2.0

internal import Positioning
internal import WeatherClient

/// Five days in steps of three hours.
struct OpenWeatherForecast: Decodable {
  struct City: Decodable {
    /// Seconds ahead of UTC.
    var timezone: Double?
  }

  var list: [OpenWeatherMoment?]
  var city: City?

  private static let stepSeconds = 10_800

  func fill(
    _ report: WeatherReport, sun: OpenWeatherMoment.Sun?
  ) throws(WeatherError) -> WeatherReport {
    var report = report
    let steps = list.prefix(100).compactMap { $0 }
    for (index, step) in steps.enumerated() {
      guard let time = ProviderTime.unix(step.dt) else { continue }
      var hour = HourWeather(time: time, durationSeconds: Self.stepSeconds)
      hour.weather = try step.current()
      // A step tells of what fell before it.
      if index + 1 < steps.count, let next = ProviderTime.unix(steps[index + 1].dt),
        next.secondsSince1970 - time.secondsSince1970 == Int64(Self.stepSeconds)
      {
        hour.weather.precipitationMillimeters = steps[index + 1].threeHoursMillimeters
        hour.precipitationProbabilityPercent = steps[index + 1].pop.map { $0 * 100 }
      }
      report.hours.append(hour)
    }
    guard report.hours.contains(where: { $0.weather != CurrentWeather() }) else {
      throw .malformed(field: "list", reason: "has no value")
    }
    let offset =
      city?.timezone.flatMap { abs($0) <= 64_800 ? Int($0) : nil }
      ?? DaySummary.nauticalOffsetSeconds(report.coordinate)
    report.days = DaySummary.days(of: report.hours, offsetSeconds: offset)
    if let sunrise = ProviderTime.unix(sun?.sunrise), let sunset = ProviderTime.unix(sun?.sunset) {
      let date = UTCTime(secondsSince1970: sunrise.secondsSince1970 + Int64(offset)).date
      if let index = report.days.firstIndex(where: { $0.date == date }) {
        report.days[index].sunrise = sunrise
        report.days[index].sunset = sunset
      }
    }
    return report
  }
}
