// SPDX-License-Identifier: Apache-2.0

internal import WeatherClient

/// Parses text values of the National Weather Service.
enum NWSText {
  /// Parses a wind speed such as `16 km/h`, or a range such as `5 to 10 mph`.
  ///
  /// - Returns: The speed or the mean of the range in metres per second, or `nil` for any other
  ///   text.
  static func windMetersPerSecond(_ text: String?) -> Double? {
    let words = (text ?? "").split(separator: " ")
    guard let unit = words.last, words.count == 2 || (words.count == 4 && words[1] == "to")
    else { return nil }
    let numbers = words.dropLast().filter { $0 != "to" }.map { Double($0) }
    guard !numbers.contains(nil) else { return nil }
    let speeds = numbers.compactMap { $0 }
    let mean = speeds.reduce(0, +) / Double(speeds.count)
    return try? ProviderUnit.metersPerSecond(mean, String(unit), "windSpeed")
  }

  private static let compassPoints = [
    "N", "NNE", "NE", "ENE", "E", "ESE", "SE", "SSE", "S", "SSW", "SW", "WSW", "W", "WNW", "NW",
    "NNW",
  ]

  /// Converts a compass point to degrees.
  static func degrees(_ point: String?) -> Double? {
    point.flatMap { compassPoints.firstIndex(of: $0) }.map { Double($0) * 22.5 }
  }

  /// Returns the condition for an icon URL such as `…/icons/land/day/tsra,40/ovc?size=medium`.
  ///
  /// A URL may contain two conditions for successive times. Returns the first one.
  static func condition(icon: String) -> WeatherCondition {
    let path = icon.prefix { $0 != "?" }.split(separator: "/")
    let names = path.drop { $0 != "day" && $0 != "night" }.dropFirst()
    guard let name = names.first?.prefix(while: { $0 != "," }) else {
      return WeatherCondition(unknownCode: icon)
    }
    let code = name.hasPrefix("wind_") ? String(name.dropFirst(5)) : String(name)
    return icons[code] ?? WeatherCondition(unknownCode: String(name))
  }

  private static let icons: [String: WeatherCondition] = [
    "skc": .clear, "few": .mainlyClear, "sct": .partlyCloudy, "bkn": .mostlyCloudy,
    "ovc": .overcast, "snow": .snow, "rain_snow": .sleet, "rain_sleet": .sleet,
    "snow_sleet": .sleet, "fzra": .freezingRain, "rain_fzra": .freezingRain,
    "snow_fzra": .freezingRain, "sleet": .sleet, "rain": .rain, "rain_showers": .rainShowers,
    "rain_showers_hi": .rainShowers, "tsra": .thunderstorm, "tsra_sct": .thunderstorm,
    "tsra_hi": .thunderstorm, "tornado": .tornado, "hurricane": .tropicalStorm,
    "tropical_storm": .tropicalStorm, "dust": .dust, "smoke": .smoke, "haze": .haze,
    "blizzard": .blizzard, "fog": .fog,
  ]

  /// Returns the condition for terms of the grid data, such as `rain_showers` and `light`.
  static func condition(weather: String, intensity: String?) -> WeatherCondition {
    let isLight = intensity == "light" || intensity == "very_light"
    let isHeavy = intensity == "heavy"
    return switch weather {
    case "rain": isLight ? .lightRain : isHeavy ? .heavyRain : .rain
    case "rain_showers": isLight ? .lightRainShowers : isHeavy ? .heavyRainShowers : .rainShowers
    case "snow": isLight ? .lightSnow : isHeavy ? .heavySnow : .snow
    case "snow_showers": isLight ? .lightSnowShowers : isHeavy ? .heavySnowShowers : .snowShowers
    case "drizzle": isLight ? .lightDrizzle : isHeavy ? .heavyDrizzle : .drizzle
    case "sleet": isLight ? .lightSleet : isHeavy ? .heavySleet : .sleet
    case "freezing_rain": .freezingRain
    case "freezing_drizzle": .freezingDrizzle
    case "freezing_fog": .rimeFog
    case "fog", "ice_fog": .fog
    case "thunderstorms": .thunderstorm
    case "haze": .haze
    case "smoke": .smoke
    case "blowing_dust", "blowing_sand": .dust
    case "volcanic_ash": .volcanicAsh
    default: WeatherCondition(unknownCode: weather)
    }
  }

  /// Returns the condition without precipitation, according to the NWS limits for the sky cover.
  static func condition(skyCoverPercent: Double?) -> WeatherCondition? {
    skyCoverPercent.flatMap { cover in
      switch cover {
      case 0..<6: .clear
      case 6..<26: .mainlyClear
      case 26..<51: .partlyCloudy
      case 51..<88: .mostlyCloudy
      case 88...100: .overcast
      default: nil
      }
    }
  }
}

/// A JSON object with a value and a unit, or a JSON number without a unit.
struct NWSValue: Decodable, Equatable {
  var value: Double?
  var unitCode: String?

  private enum Key: String, CodingKey { case value, unitCode }

  init(from decoder: any Decoder) throws {
    if let number = try? decoder.singleValueContainer().decode(Double.self) {
      value = number
      return
    }
    let values = try decoder.container(keyedBy: Key.self)
    value = try values.decodeIfPresent(Double.self, forKey: .value)
    unitCode = try values.decodeIfPresent(String.self, forKey: .unitCode)
  }
}
