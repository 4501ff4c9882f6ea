// SPDX-License-Identifier: Apache-2.0

/// What the sky does, in one list that every provider's codes are mapped to.
///
/// A code that is in no list is kept as it came.
public enum WeatherCondition: Hashable, Sendable {
  case clear
  case mainlyClear
  case partlyCloudy
  case overcast
  case fog
  case rimeFog
  case lightDrizzle
  case drizzle
  case heavyDrizzle
  case freezingDrizzle
  case lightRain
  case rain
  case heavyRain
  case freezingRain
  case lightSnow
  case snow
  case heavySnow
  case snowGrains
  case rainShowers
  case heavyRainShowers
  case snowShowers
  case thunderstorm
  case thunderstormWithHail
  /// A provider's code that this list does not know.
  case unknown(code: Int)

  /// Makes a condition out of a WMO code (table 4677, the part that forecasts use).
  ///
  /// - Parameter code: The code; one that is not known is kept.
  public init(wmoCode code: Int) {
    self =
      switch code {
      case 0: .clear
      case 1: .mainlyClear
      case 2: .partlyCloudy
      case 3: .overcast
      case 45: .fog
      case 48: .rimeFog
      case 51: .lightDrizzle
      case 53: .drizzle
      case 55: .heavyDrizzle
      case 56, 57: .freezingDrizzle
      case 61: .lightRain
      case 63: .rain
      case 65: .heavyRain
      case 66, 67: .freezingRain
      case 71: .lightSnow
      case 73: .snow
      case 75: .heavySnow
      case 77: .snowGrains
      case 80, 81: .rainShowers
      case 82: .heavyRainShowers
      case 85, 86: .snowShowers
      case 95: .thunderstorm
      case 96, 99: .thunderstormWithHail
      default: .unknown(code: code)
      }
  }

  /// The condition in words for people.
  public var title: String {
    switch self {
    case .clear: "clear"
    case .mainlyClear: "mainly clear"
    case .partlyCloudy: "partly cloudy"
    case .overcast: "overcast"
    case .fog: "fog"
    case .rimeFog: "rime fog"
    case .lightDrizzle: "light drizzle"
    case .drizzle: "drizzle"
    case .heavyDrizzle: "heavy drizzle"
    case .freezingDrizzle: "freezing drizzle"
    case .lightRain: "light rain"
    case .rain: "rain"
    case .heavyRain: "heavy rain"
    case .freezingRain: "freezing rain"
    case .lightSnow: "light snow"
    case .snow: "snow"
    case .heavySnow: "heavy snow"
    case .snowGrains: "snow grains"
    case .rainShowers: "rain showers"
    case .heavyRainShowers: "heavy rain showers"
    case .snowShowers: "snow showers"
    case .thunderstorm: "thunderstorm"
    case .thunderstormWithHail: "thunderstorm with hail"
    case .unknown(let code): "unknown \(code)"
    }
  }

  /// The condition in one word for programs: `lightrain`; an unknown code as `unknown:42`.
  public var name: String {
    if case .unknown(let code) = self { return "unknown:\(code)" }
    return title.filter { $0 != " " }
  }
}
