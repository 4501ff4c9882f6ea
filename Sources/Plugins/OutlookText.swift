// SPDX-License-Identifier: Apache-2.0

internal import Positioning
package import WeatherClient
package import WeatherFeature

/// Formats the weather information as a table for terminals.
package struct OutlookText {
  private let format: ValueFormat

  /// Creates a formatter for the units and the time zone of `format`.
  package init(_ format: ValueFormat = ValueFormat()) { self.format = format }

  /// Returns the table, with an hourly forecast if `hours` is not empty.
  package func table(_ outlook: WeatherOutlook, hours: [HourWeather] = []) -> String {
    var lines = [title(outlook)]
    if let best = outlook.resolved.best {
      lines +=
        rows(best.weather, probability(outlook, best)) + tendencyRow(outlook) + [
          row("Source", source(best))
        ]
    } else {
      lines.append(row("Weather", "unknown: no recent report and no stored forecast"))
    }
    lines += outlook.resolved.almanac.map(rows) ?? []
    lines += ForecastText(format).hours(hours) + ForecastText(format).days(outlook.days)
    if let attribution = outlook.resolved.best?.attribution { lines += ["", attribution] }
    return lines.map { $0 + "\n" }.joined()
  }

  private func title(_ outlook: WeatherOutlook) -> String {
    let place = outlook.place.map { format.title(of: $0) + $0.regionSuffix }
    let coordinate =
      Text.fixed(outlook.coordinate.latitudeDegrees, 2) + ","
      + Text.fixed(outlook.coordinate.longitudeDegrees, 2)
    let time = outlook.time.map { "  " + format.time($0) } ?? ""
    return (place.map { "\($0)  (\(coordinate))" } ?? coordinate) + time
  }

  private func row(_ name: String, _ value: String) -> String {
    "  " + Text.padded(name, 15) + value
  }

  private func rows(_ weather: CurrentWeather, _ probability: Double?) -> [String] {
    func percent(_ name: String, _ value: Double?) -> String? {
      value.map { row(name, Text.fixed($0, 0) + " %") }
    }
    let feels = weather.apparentTemperatureDegreesCelsius.map {
      ", feels like " + format.temperature($0)
    }
    let precipitation = [
      weather.precipitationMillimeters.map { format.precipitation($0) },
      probability.map { "probability \(Text.fixed($0, 0)) %" },
    ].compactMap { $0 }
    return [
      weather.condition.map { row("Condition", $0.title) },
      weather.temperatureDegreesCelsius.map {
        row("Temperature", format.temperature($0) + (feels ?? ""))
      },
      wind(weather).map { row("Wind", $0) },
      weather.pressureSeaLevelHectopascals.map {
        row("Pressure", format.pressure($0, places: 1) + " at sea level")
      },
      percent("Humidity", weather.humidityPercent),
      weather.dewPointDegreesCelsius.map { row("Dew point", format.temperature($0)) },
      weather.visibilityMeters.map { row("Visibility", format.distance($0)) },
      weather.waterTemperatureDegreesCelsius.map { row("Water", format.temperature($0)) },
      percent("Clouds", weather.cloudCoverPercent),
      precipitation.isEmpty
        ? nil : row("Precipitation", precipitation.joined(separator: ", ")),
    ].compactMap { $0 }
  }

  /// Returns speed, direction and gusts of the wind; `nil` if speed and gusts are unknown.
  package func wind(_ weather: CurrentWeather) -> String? {
    let from = weather.windDirectionDegreesTrue.map { " from \(Text.fixed($0, 0))°" } ?? ""
    let parts = [
      weather.windSpeedMetersPerSecond.map { format.wind($0) + from },
      weather.windGustMetersPerSecond.map { "gusts \(format.wind($0))" },
    ].compactMap { $0 }
    return parts.isEmpty ? nil : parts.joined(separator: ", ")
  }

  /// Returns the probability of precipitation now; a sensor measures no probability.
  private func probability(_ outlook: WeatherOutlook, _ best: WeatherAnswer) -> Double? {
    guard best.quality != .sensor else { return nil }
    return outlook.report?.precipitationProbabilityPercent(at: outlook.time)
  }

  private func tendencyRow(_ outlook: WeatherOutlook) -> [String] {
    guard let tendency = outlook.pressureTendencyHectopascals else { return [] }
    return [row("Tendency", "\(words(pressureTendency: tendency)), measured here")]
  }

  /// Describes the change in pressure.
  package func words(pressureTendency hectopascals: Double) -> String {
    if Text.fixed(abs(hectopascals), 1) == "0.0" { return "pressure steady for 3 h" }
    return "pressure \(hectopascals > 0 ? "rising" : "falling") "
      + "\(format.pressure(abs(hectopascals), places: 1)) in 3 h"
  }

  /// Describes the origin of weather values.
  package static func origin(_ answer: WeatherAnswer) -> String {
    switch answer.quality {
    case .fresh: "\(answer.kind.rawValue) by \(provider(answer))"
    case .stored: "stored forecast of \(provider(answer)), interpolated to now"
    case .sensor:
      answer.receiver.map { "measured by \(answer.provider) on \($0)" }
        ?? "the board's own sensor \(answer.provider)"
    }
  }

  private static func provider(_ answer: WeatherAnswer) -> String {
    answer.provider + (answer.via.map { " via \($0)" } ?? "")
  }

  /// Returns the distance from the board to the coordinate of weather values.
  package func distance(_ answer: WeatherAnswer) -> String {
    format.distance(answer.distanceMeters)
  }

  func source(_ answer: WeatherAnswer) -> String {
    var text = "\(Self.origin(answer)), \(Self.age(answer.ageSeconds)) old"
    if answer.distanceMeters >= 1000 { text += ", for a place \(distance(answer)) away" }
    return ([text] + Text.marks(isSimulated: answer.isSimulated, isReplayed: answer.isReplayed))
      .joined(separator: ", ")
  }

  /// Returns an age with a suitable unit.
  package static func age(_ seconds: Double) -> String {
    switch seconds {
    case ..<120: "\(Text.fixed(seconds, 0)) s"
    case ..<7200: "\(Text.fixed(seconds / 60, 0)) min"
    default: "\(Text.fixed(seconds / 3600, 1)) h"
    }
  }

  private func rows(_ almanac: Almanac) -> [String] {
    [row("Sun", sun(almanac)), row("Moon", Self.moon(almanac))]
  }

  /// Returns sunrise and sunset, and whether it is day or night.
  package func sun(_ almanac: Almanac) -> String {
    let times = [
      almanac.day.sunrise.map { "up \(format.clock($0))" },
      almanac.day.sunset.map { "down \(format.clock($0))" },
    ].compactMap { $0 }.joined(separator: ", ")
    if let time = almanac.day.sunrise ?? almanac.day.sunset {
      return "\(times) \(format.zoneName(at: time)); \(almanac.light.rawValue)"
    }
    return "\(almanac.light == .day ? "up" : "down") all day; \(almanac.light.rawValue)"
  }

  /// Returns the phase of the moon.
  package static func moon(_ almanac: Almanac) -> String {
    "\(words(almanac.moon.name.rawValue)), "
      + "\(Text.fixed(almanac.moon.illuminationPercent, 0)) % lit"
  }

  /// Converts `waxingGibbous` to `waxing gibbous`.
  private static func words(_ name: String) -> String {
    name.reduce(into: "") { text, letter in
      text += letter.isUppercase ? " " + letter.lowercased() : String(letter)
    }
  }
}
