// SPDX-License-Identifier: Apache-2.0

internal import Positioning
internal import WeatherClient

/// A reply of Locationforecast 2.0, in the variant `compact` or `complete`: a GeoJSON feature.
struct METNorwayReply: Decodable {
  var properties: Properties

  struct Properties: Decodable {
    var meta: Meta?
    var timeseries: [Step?]
  }

  struct Meta: Decodable {
    var updatedAt: String?
    var units: [String: String?]?

    enum CodingKeys: String, CodingKey {
      case units
      case updatedAt = "updated_at"
    }
  }

  struct Step: Decodable {
    var time: String?
    var data: StepData?
  }

  struct StepData: Decodable {
    var instant: Period?
    var next1Hours: Period?
    var next6Hours: Period?
    var next12Hours: Period?

    enum CodingKeys: String, CodingKey {
      case instant
      case next1Hours = "next_1_hours"
      case next6Hours = "next_6_hours"
      case next12Hours = "next_12_hours"
    }
  }

  struct Period: Decodable {
    var summary: Summary?
    var details: Details?
  }

  struct Summary: Decodable {
    var symbolCode: String?
    enum CodingKeys: String, CodingKey { case symbolCode = "symbol_code" }
  }

  struct Details: Decodable {
    var temperature: Double?
    var dewPoint: Double?
    var pressure: Double?
    var humidity: Double?
    var windSpeed: Double?
    var windGust: Double?
    var windDirection: Double?
    var cloudCover: Double?
    var precipitation: Double?
    var precipitationProbability: Double?

    enum CodingKeys: String, CodingKey {
      case temperature = "air_temperature"
      case dewPoint = "dew_point_temperature"
      case pressure = "air_pressure_at_sea_level"
      case humidity = "relative_humidity"
      case windSpeed = "wind_speed"
      case windGust = "wind_speed_of_gust"
      case windDirection = "wind_from_direction"
      case cloudCover = "cloud_area_fraction"
      case precipitation = "precipitation_amount"
      case precipitationProbability = "probability_of_precipitation"
    }
  }
}

extension METNorwayReply {
  /// Adds the values to a report, in the units of this project.
  func fill(_ blank: WeatherReport, at now: UTCTime?) throws(WeatherError) -> WeatherReport {
    var report = blank
    report.issuedAt = ProviderTime.iso(properties.meta?.updatedAt)?.utc
    // A complete forecast, of nine days, has fewer than 300 steps.
    for step in properties.timeseries.prefix(300) {
      guard let step, let hour = try hour(step) else { continue }
      report.hours.append(hour)
    }
    report.setCurrent(at: now)
    // The reply does not contain the time zone.
    report.setDays(in: PlaceZone().zone(at: report.coordinate, now))
    return report
  }

  private func hour(_ step: Step) throws(WeatherError) -> HourWeather? {
    guard let time = ProviderTime.iso(step.time)?.utc else { return nil }
    let period = step.data?.next1Hours ?? step.data?.next6Hours
    let seconds = step.data?.next1Hours != nil ? 3600 : period == nil ? 0 : 21_600
    var hour = HourWeather(time: time, durationSeconds: seconds)
    let instant = step.data?.instant?.details
    func fill(
      _ path: WritableKeyPath<CurrentWeather, Double?>, _ value: Double?, _ key: Details.CodingKeys,
      _ convert: ProviderUnit.Conversion
    ) throws(WeatherError) {
      let unit = properties.meta?.units?[key.rawValue] ?? nil
      hour.weather[keyPath: path] = try convert(
        value, unit, "properties.meta.units.\(key.rawValue)")
    }
    try fill(
      \.temperatureDegreesCelsius, instant?.temperature, .temperature, ProviderUnit.celsius)
    try fill(\.dewPointDegreesCelsius, instant?.dewPoint, .dewPoint, ProviderUnit.celsius)
    try fill(
      \.pressureSeaLevelHectopascals, instant?.pressure, .pressure, ProviderUnit.hectopascals)
    try fill(
      \.windSpeedMetersPerSecond, instant?.windSpeed, .windSpeed, ProviderUnit.metersPerSecond)
    try fill(
      \.windGustMetersPerSecond, instant?.windGust, .windGust, ProviderUnit.metersPerSecond)
    try fill(
      \.precipitationMillimeters, period?.details?.precipitation, .precipitation,
      ProviderUnit.millimeters)
    hour.weather.humidityPercent = instant?.humidity
    hour.weather.windDirectionDegreesTrue = instant?.windDirection
    hour.weather.cloudCoverPercent = instant?.cloudCover
    hour.precipitationProbabilityPercent = period?.details?.precipitationProbability
    hour.weather.condition = period?.summary?.symbolCode.map(METNorwaySymbol.condition)
    return hour
  }
}

/// Maps MET Norway's weather symbols, such as `lightrainshowers_day`.
///
/// The symbols are listed at <https://github.com/metno/weathericons>. Two names, such as
/// `lightssleetshowersandthunder`, are misspelt in the list and in replies.
enum METNorwaySymbol {
  static func condition(_ symbol: String) -> WeatherCondition {
    // Remove the suffix for the time of day: _day, _night, _polartwilight.
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
