// SPDX-License-Identifier: Apache-2.0

internal import Positioning
internal import WeatherClient
package import WeatherFeature

/// Formats the weather information as a table for terminals.
package enum OutlookText {
  /// Returns the table.
  package static func table(_ outlook: WeatherOutlook) -> String {
    var lines = [title(outlook)]
    if let best = outlook.resolved.best {
      lines += rows(best.weather) + tendencyRow(outlook) + [row("Source", source(best))]
    } else {
      lines.append(row("Weather", "unknown: no recent report and no stored forecast"))
    }
    lines += outlook.resolved.almanac.map(rows) ?? []
    lines += days(outlook.days)
    if let attribution = outlook.resolved.best?.attribution { lines += ["", attribution] }
    return lines.map { $0 + "\n" }.joined()
  }

  private static func title(_ outlook: WeatherOutlook) -> String {
    let place = outlook.place.map { place in
      place.relativeTitle + (place.countryCode.map { ", \($0)" } ?? "")
    }
    let coordinate =
      Text.fixed(outlook.coordinate.latitudeDegrees, 2) + ","
      + Text.fixed(outlook.coordinate.longitudeDegrees, 2)
    let time = outlook.time.map { "  " + Text.time($0) } ?? ""
    return (place.map { "\($0)  (\(coordinate))" } ?? coordinate) + time
  }

  private static func row(_ name: String, _ value: String) -> String {
    "  " + Text.padded(name, 15) + value
  }

  private static func rows(_ weather: CurrentWeather) -> [String] {
    func number(_ name: String, _ value: Double?, _ places: Int, _ unit: String) -> String? {
      value.map { row(name, Text.fixed($0, places) + " " + unit) }
    }
    let feels = weather.apparentTemperatureDegreesCelsius.map {
      ", feels like \(Text.fixed($0, 1)) °C"
    }
    let from = weather.windDirectionDegreesTrue.map { " from \(Text.fixed($0, 0))°" }
    return [
      weather.condition.map { row("Condition", $0.title) },
      weather.temperatureDegreesCelsius.map {
        row("Temperature", Text.fixed($0, 1) + " °C" + (feels ?? ""))
      },
      weather.windSpeedMetersPerSecond.map {
        row("Wind", Text.fixed($0, 1) + " m/s" + (from ?? ""))
      },
      number("Pressure", weather.pressureSeaLevelHectopascals, 1, "hPa at sea level"),
      number("Humidity", weather.humidityPercent, 0, "%"),
      number("Water", weather.waterTemperatureDegreesCelsius, 1, "°C"),
      number("Clouds", weather.cloudCoverPercent, 0, "%"),
      number("Precipitation", weather.precipitationMillimeters, 1, "mm"),
    ].compactMap { $0 }
  }

  private static func tendencyRow(_ outlook: WeatherOutlook) -> [String] {
    guard let tendency = outlook.pressureTendencyHectopascals else { return [] }
    return [row("Tendency", "\(words(pressureTendency: tendency)), measured here")]
  }

  /// Describes the change in pressure.
  package static func words(pressureTendency hectopascals: Double) -> String {
    let amount = Text.fixed(abs(hectopascals), 1)
    if amount == "0.0" { return "pressure steady for 3 h" }
    return "pressure \(hectopascals > 0 ? "rising" : "falling") \(amount) hPa in 3 h"
  }

  /// Describes the origin of weather values.
  package static func origin(_ answer: WeatherAnswer) -> String {
    switch answer.quality {
    case .fresh: "\(answer.kind.rawValue) by \(answer.provider)"
    case .stored: "stored forecast of \(answer.provider), interpolated to now"
    case .sensor:
      answer.receiver.map { "measured by \(answer.provider) on \($0)" }
        ?? "the board's own sensor \(answer.provider)"
    }
  }

  /// Returns the distance from the board to the coordinate of weather values.
  package static func distance(_ answer: WeatherAnswer) -> String {
    Text.fixed(answer.distanceMeters / 1000, 1) + " km"
  }

  static func source(_ answer: WeatherAnswer) -> String {
    var text = "\(origin(answer)), \(age(answer.ageSeconds)) old"
    if answer.distanceMeters >= 1000 { text += ", for a place \(distance(answer)) away" }
    return answer.isSimulated ? text + ", simulated" : text
  }

  /// Returns an age with a suitable unit.
  package static func age(_ seconds: Double) -> String {
    switch seconds {
    case ..<120: "\(Text.fixed(seconds, 0)) s"
    case ..<7200: "\(Text.fixed(seconds / 60, 0)) min"
    default: "\(Text.fixed(seconds / 3600, 1)) h"
    }
  }

  private static func rows(_ almanac: Almanac) -> [String] {
    [row("Sun", sun(almanac)), row("Moon", moon(almanac))]
  }

  /// Returns sunrise and sunset, and whether it is day or night.
  package static func sun(_ almanac: Almanac) -> String {
    let times = [
      almanac.day.sunrise.map { "up \(clock($0))" }, almanac.day.sunset.map { "down \(clock($0))" },
    ].compactMap { $0 }.joined(separator: ", ")
    guard times.isEmpty else { return "\(times) UTC; \(almanac.light.rawValue)" }
    return "\(almanac.light == .day ? "up" : "down") all day; \(almanac.light.rawValue)"
  }

  /// Returns the phase of the moon.
  package static func moon(_ almanac: Almanac) -> String {
    "\(words(almanac.moon.name.rawValue)), "
      + "\(Text.fixed(almanac.moon.illuminationPercent, 0)) % lit"
  }

  private static func clock(_ time: UTCTime) -> String {
    let clock = time.timeOfDay
    func two(_ number: UInt8) -> String { (number < 10 ? "0" : "") + "\(number)" }
    return "\(two(clock.hour)):\(two(clock.minute))"
  }

  /// Converts `waxingGibbous` to `waxing gibbous`.
  private static func words(_ name: String) -> String {
    name.reduce(into: "") { text, letter in
      text += letter.isUppercase ? " " + letter.lowercased() : String(letter)
    }
  }

  private static func days(_ days: [DayWeather]) -> [String] {
    guard !days.isEmpty else { return [] }
    let head =
      "  " + Text.padded("Day", 12) + Text.padded("Min", 7, right: true)
      + Text.padded("Max", 7, right: true) + Text.padded("mm", 7, right: true) + "  Sky"
    return ["", head]
      + days.map { day in
        func number(_ value: Double?) -> String {
          value.map { Text.fixed($0, 1, width: 7) } ?? Text.padded("-", 7, right: true)
        }
        let (year, month, date) = day.date.civil
        func two(_ number: Int) -> String { (number < 10 ? "0" : "") + "\(number)" }
        return "  " + Text.padded("\(year)-\(two(month))-\(two(date))", 12)
          + number(day.lowestTemperatureDegreesCelsius)
          + number(day.highestTemperatureDegreesCelsius)
          + number(day.precipitationMillimeters) + "  " + (day.condition?.title ?? "-")
      }
  }
}
