// SPDX-License-Identifier: Apache-2.0

/// What the sky does, in one list that every provider's codes are mapped to.
///
/// A code that is in no list is kept as it came.
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
  /// A provider's code that this list does not know.
  case unknown(code: String)

  /// Every condition there is but the unknown ones, in the order of the list.
  public static let known: [WeatherCondition] = [
    .clear, .mainlyClear, .partlyCloudy, .mostlyCloudy, .overcast, .mist, .haze, .fog, .rimeFog,
    .smoke, .dust, .volcanicAsh, .lightDrizzle, .drizzle, .heavyDrizzle, .freezingDrizzle,
    .lightRain, .rain, .heavyRain, .freezingRain, .lightRainShowers, .rainShowers,
    .heavyRainShowers, .lightSleet, .sleet, .heavySleet, .sleetShowers, .hail, .lightSnow, .snow,
    .heavySnow, .snowGrains, .lightSnowShowers, .snowShowers, .heavySnowShowers, .blizzard,
    .thunderstorm, .thunderstormWithHail, .windy, .squall, .tropicalStorm, .tornado,
  ]

  /// The longest code that is kept of an unknown condition, in characters.
  static let longestCode = 40

  /// Keeps a code that is in no list, as far as it can be shown.
  ///
  /// - Parameter code: The code; no more than 40 of its characters are kept, and of these only
  ///   what is printable ASCII.
  public init(unknownCode code: String) {
    let shown = code.unicodeScalars.prefix(Self.longestCode).filter { $0 > " " && $0 < "\u{7F}" }
    self = .unknown(code: String(String.UnicodeScalarView(shown)))
  }

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
  /// The condition in words for people.
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

  /// The condition in one word for programs: `lightrain`; an unknown code as `unknown:42`.
  public var name: String {
    if case .unknown(let code) = self { return Self.unknownPrefix + code }
    return title.filter { $0 != " " }
  }

  /// Makes a condition out of its word for programs; the inverse of ``name``.
  ///
  /// Gives `nil` for a word that no condition has.
  public init?(name: String) {
    if name.hasPrefix(Self.unknownPrefix) {
      self.init(unknownCode: String(name.dropFirst(Self.unknownPrefix.count)))
    } else {
      guard let known = Self.known.first(where: { $0.name == name }) else { return nil }
      self = known
    }
  }
}

extension WeatherCondition: Codable {
  /// Reads the word for programs; one that no condition has is kept as an unknown code.
  ///
  /// - Parameter decoder: Where from.
  /// - Throws: `DecodingError` where there is no text.
  public init(from decoder: any Decoder) throws {
    let name = try decoder.singleValueContainer().decode(String.self)
    self = WeatherCondition(name: name) ?? WeatherCondition(unknownCode: name)
  }

  /// Writes the word for programs.
  ///
  /// - Parameter encoder: Where to.
  /// - Throws: What the encoder throws.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(name)
  }
}
