// SPDX-License-Identifier: Apache-2.0

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
