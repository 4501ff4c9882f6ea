// SPDX-License-Identifier: Apache-2.0

internal import WeatherClient

/// Dark Sky's systems of units; a reply that states none is taken at what was asked for, `si`.
///
/// Intensities are per hour, so an hour's is its amount.
struct DarkSkyUnits: Equatable {
  private var temperature = "C"
  private var speed = "m/s"
  private var depth = "mm"
  private var distance = "km"

  init(_ system: String?) throws(WeatherError) {
    switch system {
    case nil, "si": break
    case "ca": speed = "km/h"
    case "uk", "uk2": (speed, distance) = ("mph", "mi")
    case "us": (temperature, speed, depth, distance) = ("F", "mph", "in", "mi")
    case let other?:
      throw .malformed(
        field: "flags.units", reason: "is \"\(WeatherReply.shown(other))\", which is not known here"
      )
    }
  }

  func celsius(_ value: Double?) throws(WeatherError) -> Double? {
    try ProviderUnit.celsius(value, temperature, "flags.units")
  }

  func metersPerSecond(_ value: Double?) throws(WeatherError) -> Double? {
    try ProviderUnit.metersPerSecond(value, speed, "flags.units")
  }

  func millimeters(_ value: Double?) throws(WeatherError) -> Double? {
    try ProviderUnit.millimeters(value, depth, "flags.units")
  }

  func meters(_ value: Double?) throws(WeatherError) -> Double? {
    try ProviderUnit.meters(value, distance, "flags.units")
  }
}

/// Dark Sky's icons, and those that Pirate Weather has added.
enum DarkSkyIcon {
  static func condition(_ icon: String) -> WeatherCondition {
    var code = icon
    for suffix in ["-day", "-night"] where code.hasSuffix(suffix) {
      code.removeLast(suffix.count)
    }
    if code.hasPrefix("possible-") { code.removeFirst("possible-".count) }
    return conditions[code] ?? WeatherCondition(unknownCode: icon)
  }

  private static let conditions: [String: WeatherCondition] = [
    "clear": .clear, "mostly-clear": .mainlyClear, "partly-cloudy": .partlyCloudy,
    "mostly-cloudy": .mostlyCloudy, "cloudy": .overcast, "overcast": .overcast, "fog": .fog,
    "mist": .mist, "haze": .haze, "smoke": .smoke, "drizzle": .drizzle, "light-rain": .lightRain,
    "rain": .rain, "heavy-rain": .heavyRain, "freezing-rain": .freezingRain,
    "freezing-drizzle": .freezingDrizzle, "light-freezing-rain": .freezingRain,
    "heavy-freezing-rain": .freezingRain, "very-light-sleet": .lightSleet,
    "light-sleet": .lightSleet, "sleet": .sleet, "heavy-sleet": .heavySleet, "mixed": .sleet,
    "flurries": .lightSnowShowers, "light-snow": .lightSnow, "snow": .snow,
    "heavy-snow": .heavySnow, "hail": .hail, "thunderstorm": .thunderstorm, "wind": .windy,
    "breezy": .windy, "dangerous-wind": .windy, "dangerous-winds": .windy, "tornado": .tornado,
  ]
}
