// SPDX-License-Identifier: Apache-2.0

internal import WeatherClient

/// MET Norway's weather symbols: `lightrainshowers_day`.
///
/// Its list is <https://github.com/metno/weathericons>; two of its names are misspelt there and are
/// sent so (`lightssleetshowersandthunder`).
enum METNorwaySymbol {
  static func condition(_ symbol: String) -> WeatherCondition {
    // What comes behind is the sun's doing: _day, _night, _polartwilight.
    let code = symbol.prefix { $0 != "_" }
    if code.hasSuffix("andthunder") { return .thunderstorm }
    return conditions[String(code)] ?? WeatherCondition(unknownCode: symbol)
  }

  private static let conditions: [String: WeatherCondition] = [
    "clearsky": .clear, "fair": .mainlyClear, "partlycloudy": .partlyCloudy, "cloudy": .overcast,
    "fog": .fog, "lightrain": .lightRain, "rain": .rain, "heavyrain": .heavyRain,
    "lightrainshowers": .lightRainShowers, "rainshowers": .rainShowers,
    "heavyrainshowers": .heavyRainShowers, "lightsleet": .lightSleet, "sleet": .sleet,
    "heavysleet": .heavySleet, "lightsleetshowers": .sleetShowers, "sleetshowers": .sleetShowers,
    "heavysleetshowers": .sleetShowers, "lightsnow": .lightSnow, "snow": .snow,
    "heavysnow": .heavySnow, "lightsnowshowers": .lightSnowShowers, "snowshowers": .snowShowers,
    "heavysnowshowers": .heavySnowShowers,
  ]
}
