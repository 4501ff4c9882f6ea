// SPDX-License-Identifier: Apache-2.0

internal import WeatherClient

/// OpenWeatherMap's weather condition codes.
struct OpenWeatherCode: Decodable {
  var id: Double?

  /// The first of several is the primary one.
  static func condition(_ codes: [OpenWeatherCode?]?) -> WeatherCondition? {
    let first = codes?.lazy.compactMap { $0?.id }.first
    return first.flatMap(Int.init(exactly:)).flatMap { $0 < 0 ? nil : condition($0) }
  }

  static func condition(_ code: Int) -> WeatherCondition {
    switch code {
    case 200...232: .thunderstorm
    case 300, 310: .lightDrizzle
    case 301, 311, 313, 321: .drizzle
    case 302, 312, 314: .heavyDrizzle
    case 500: .lightRain
    case 501: .rain
    case 502, 503, 504: .heavyRain
    case 511: .freezingRain
    case 520: .lightRainShowers
    case 521, 531: .rainShowers
    case 522: .heavyRainShowers
    case 600: .lightSnow
    case 601: .snow
    case 602: .heavySnow
    case 611, 615, 616: .sleet
    case 612, 613: .sleetShowers
    case 620: .lightSnowShowers
    case 621: .snowShowers
    case 622: .heavySnowShowers
    case 701: .mist
    case 711: .smoke
    case 721: .haze
    case 731, 751, 761: .dust
    case 741: .fog
    case 762: .volcanicAsh
    case 771: .squall
    case 781: .tornado
    case 800: .clear
    case 801: .mainlyClear
    case 802: .partlyCloudy
    case 803: .mostlyCloudy
    case 804: .overcast
    default: WeatherCondition(unknownCode: String(code))
    }
  }
}
