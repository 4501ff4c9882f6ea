// SPDX-License-Identifier: Apache-2.0

internal import Positioning
internal import WeatherClient

/// Formats the forecast of hours and days as tables for terminals.
struct ForecastText {
  private static let labelColumns = 16
  private static let columns = 7

  private let format: ValueFormat

  init(_ format: ValueFormat) { self.format = format }

  /// Returns the lines of the hourly forecast; empty without hours.
  func hours(_ hours: [HourWeather]) -> [String] {
    let heading = [format.temperatureUnit, format.precipitationUnit, "%", format.windUnit, "Gusts"]
    return table(
      "Hour", heading,
      hours.map { step in
        let weather = step.weather
        return (
          format.hour(step.time),
          [
            temperature(weather.temperatureDegreesCelsius),
            precipitation(weather.precipitationMillimeters),
            percent(step.precipitationProbabilityPercent), wind(weather.windSpeedMetersPerSecond),
            wind(weather.windGustMetersPerSecond),
          ], weather.condition
        )
      })
  }

  /// Returns the lines of the daily forecast; empty without days.
  func days(_ days: [DayWeather]) -> [String] {
    let heading = ["Min", "Max", format.precipitationUnit, "%", format.windUnit]
    return table(
      "Day", heading,
      days.map { day in
        (
          ValueFormat.day(day.date),
          [
            temperature(day.lowestTemperatureDegreesCelsius),
            temperature(day.highestTemperatureDegreesCelsius),
            precipitation(day.precipitationMillimeters),
            percent(day.precipitationProbabilityPercent),
            wind(day.highestWindSpeedMetersPerSecond),
          ], day.condition
        )
      })
  }

  private func table(
    _ label: String, _ heading: [String], _ rows: [(String, [String], WeatherCondition?)]
  ) -> [String] {
    guard !rows.isEmpty else { return [] }
    func line(_ label: String, _ values: [String], _ sky: String) -> String {
      "  " + Text.padded(label, Self.labelColumns)
        + values.map { Text.padded($0, Self.columns, right: true) }.joined() + "  " + sky
    }
    return ["", line(label, heading, "Sky")] + rows.map { line($0.0, $0.1, $0.2?.title ?? "-") }
  }

  private func temperature(_ degreesCelsius: Double?) -> String {
    degreesCelsius.map { Text.fixed(format.temperatureValue($0), 1) } ?? "-"
  }

  private func precipitation(_ millimeters: Double?) -> String {
    millimeters.map { format.precipitationNumber($0) } ?? "-"
  }

  private func wind(_ metersPerSecond: Double?) -> String {
    metersPerSecond.map { Text.fixed(format.windValue($0), 1) } ?? "-"
  }

  private func percent(_ percent: Double?) -> String { percent.map { Text.fixed($0, 0) } ?? "-" }
}
