// SPDX-License-Identifier: Apache-2.0

/// A weather condition.
///
/// The codes of all providers are mapped to these cases.
public enum WeatherCondition: Hashable, Sendable {
  case clear
  case mainlyClear
  case partlyCloudy
  case mostlyCloudy
  case overcast
  case mist
  case haze
  case fog
  case rimeFog
  case smoke
  case dust
  case volcanicAsh
  case lightDrizzle
  case drizzle
  case heavyDrizzle
  case freezingDrizzle
  case lightRain
  case rain
  case heavyRain
  case freezingRain
  case lightRainShowers
  case rainShowers
  case heavyRainShowers
  case lightSleet
  case sleet
  case heavySleet
  case sleetShowers
  case hail
  case lightSnow
  case snow
  case heavySnow
  case snowGrains
  case lightSnowShowers
  case snowShowers
  case heavySnowShowers
  case blizzard
  case thunderstorm
  case thunderstormWithHail
  case windy
  case squall
  case tropicalStorm
  case tornado
  /// A provider's code that is not mapped to any other case.
  case unknown(code: String)

  /// All conditions except `unknown`, in the order of declaration.
  public static let known: [WeatherCondition] = [
    .clear, .mainlyClear, .partlyCloudy, .mostlyCloudy, .overcast, .mist, .haze, .fog, .rimeFog,
    .smoke, .dust, .volcanicAsh, .lightDrizzle, .drizzle, .heavyDrizzle, .freezingDrizzle,
    .lightRain, .rain, .heavyRain, .freezingRain, .lightRainShowers, .rainShowers,
    .heavyRainShowers, .lightSleet, .sleet, .heavySleet, .sleetShowers, .hail, .lightSnow, .snow,
    .heavySnow, .snowGrains, .lightSnowShowers, .snowShowers, .heavySnowShowers, .blizzard,
    .thunderstorm, .thunderstormWithHail, .windy, .squall, .tropicalStorm, .tornado,
  ]

  /// The maximum length of the code of an unknown condition, in characters.
  static let maxCodeLength = 40

  /// Creates an unknown condition.
  ///
  /// - Parameter code: The provider's code, shortened to 40 characters. Spaces, control characters
  ///   and non-ASCII characters are removed.
  public init(unknownCode code: String) {
    let printable = code.unicodeScalars.prefix(Self.maxCodeLength).filter {
      $0 > " " && $0 < "\u{7F}"
    }
    self = .unknown(code: String(String.UnicodeScalarView(printable)))
  }

  /// Creates a condition from a code of WMO table 4677, of which forecasts use a part.
  ///
  /// - Parameter code: The code. A code without a mapping becomes `unknown`.
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
      case 80: .lightRainShowers
      case 81: .rainShowers
      case 82: .heavyRainShowers
      case 85: .lightSnowShowers
      case 86: .heavySnowShowers
      case 95: .thunderstorm
      case 96, 99: .thunderstormWithHail
      default: .unknown(code: String(code))
      }
  }
}

extension WeatherCondition {
  /// The name for display, such as `light rain`.
  public var title: String {
    switch self {
    case .clear: "clear"
    case .mainlyClear: "mainly clear"
    case .partlyCloudy: "partly cloudy"
    case .mostlyCloudy: "mostly cloudy"
    case .overcast: "overcast"
    case .mist: "mist"
    case .haze: "haze"
    case .fog: "fog"
    case .rimeFog: "rime fog"
    case .smoke: "smoke"
    case .dust: "dust"
    case .volcanicAsh: "volcanic ash"
    case .lightDrizzle: "light drizzle"
    case .drizzle: "drizzle"
    case .heavyDrizzle: "heavy drizzle"
    case .freezingDrizzle: "freezing drizzle"
    case .lightRain: "light rain"
    case .rain: "rain"
    case .heavyRain: "heavy rain"
    case .freezingRain: "freezing rain"
    case .lightRainShowers: "light rain showers"
    case .rainShowers: "rain showers"
    case .heavyRainShowers: "heavy rain showers"
    case .lightSleet: "light sleet"
    case .sleet: "sleet"
    case .heavySleet: "heavy sleet"
    case .sleetShowers: "sleet showers"
    case .hail: "hail"
    case .lightSnow: "light snow"
    case .snow: "snow"
    case .heavySnow: "heavy snow"
    case .snowGrains: "snow grains"
    case .lightSnowShowers: "light snow showers"
    case .snowShowers: "snow showers"
    case .heavySnowShowers: "heavy snow showers"
    case .blizzard: "blizzard"
    case .thunderstorm: "thunderstorm"
    case .thunderstormWithHail: "thunderstorm with hail"
    case .windy: "windy"
    case .squall: "squall"
    case .tropicalStorm: "tropical storm"
    case .tornado: "tornado"
    case .unknown(let code): "unknown \(code)"
    }
  }

  private static let unknownPrefix = "unknown:"

  /// The name for programs, such as `lightrain`, or `unknown:42` for an unknown code.
  public var name: String {
    if case .unknown(let code) = self { return Self.unknownPrefix + code }
    return title.filter { $0 != " " }
  }

  /// Creates a condition from ``name``, or returns `nil` for any other text.
  public init?(name: String) {
    if name.hasPrefix(Self.unknownPrefix) {
      self.init(unknownCode: String(name.dropFirst(Self.unknownPrefix.count)))
    } else {
      guard let condition = Self.known.first(where: { $0.name == name }) else { return nil }
      self = condition
    }
  }
}

extension WeatherCondition: Codable {
  /// Decodes a condition from its ``name``.
  ///
  /// A string that is not the name of a condition is decoded as `unknown`.
  ///
  /// - Throws: `DecodingError` if the value is not a string.
  public init(from decoder: any Decoder) throws {
    let name = try decoder.singleValueContainer().decode(String.self)
    self = WeatherCondition(name: name) ?? WeatherCondition(unknownCode: name)
  }

  /// Encodes the condition as its ``name``.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(name)
  }
}
