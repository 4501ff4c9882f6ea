// SPDX-License-Identifier: Apache-2.0

internal import Positioning
internal import SystemSupport
internal import WeatherClient

/// The values of one moment, keyed by Open-Meteo's field names, old and new.
struct OpenMeteoMoment: Decodable {
  var time: OpenMeteoTime?
  var values: [Field: Double] = [:]

  enum Field: String, CodingKey, CaseIterable {
    case precipitation, visibility
    case temperature = "temperature_2m"
    case apparentTemperature = "apparent_temperature"
    case dewPoint = "dew_point_2m"
    case humidity = "relative_humidity_2m"
    case oldHumidity = "relativehumidity_2m"
    case weatherCode = "weather_code"
    case oldWeatherCode = "weathercode"
    case cloudCover = "cloud_cover"
    case pressure = "pressure_msl"
    case windSpeed = "wind_speed_10m"
    case oldWindSpeed = "windspeed_10m"
    case windGust = "wind_gusts_10m"
    case windDirection = "wind_direction_10m"
    case oldWindDirection = "winddirection_10m"
  }

  enum TimeKey: String, CodingKey { case time }

  init(values: [Field: Double]) { self.values = values }

  init(from decoder: any Decoder) throws {
    time = try decoder.container(keyedBy: TimeKey.self).decodeIfPresent(
      OpenMeteoTime.self, forKey: .time)
    let fields = try decoder.container(keyedBy: Field.self)
    for field in Field.allCases {
      values[field] = try fields.decodeIfPresent(Double.self, forKey: field)
    }
  }

  /// Converts the values to the units of this project.
  func weather(_ units: OpenMeteoUnits) throws(WeatherError) -> CurrentWeather {
    func value(
      _ field: Field, _ convert: ProviderUnit.Conversion
    ) throws(WeatherError) -> Double? {
      try units.value(values[field], field.rawValue, convert)
    }
    var weather = CurrentWeather()
    weather.temperatureDegreesCelsius = try value(.temperature, ProviderUnit.celsius)
    weather.apparentTemperatureDegreesCelsius = try value(
      .apparentTemperature, ProviderUnit.celsius)
    weather.dewPointDegreesCelsius = try value(.dewPoint, ProviderUnit.celsius)
    weather.humidityPercent = values[.humidity] ?? values[.oldHumidity]
    weather.pressureSeaLevelHectopascals = values[.pressure]
    let wind = try value(.windSpeed, ProviderUnit.metersPerSecond)
    let oldWind = try value(.oldWindSpeed, ProviderUnit.metersPerSecond)
    weather.windSpeedMetersPerSecond = wind ?? oldWind
    weather.windGustMetersPerSecond = try value(.windGust, ProviderUnit.metersPerSecond)
    weather.windDirectionDegreesTrue = values[.windDirection] ?? values[.oldWindDirection]
    weather.precipitationMillimeters = try value(.precipitation, ProviderUnit.millimeters)
    weather.cloudCoverPercent = values[.cloudCover]
    // If inches are requested, the server also sends the visibility in feet.
    weather.visibilityMeters = try value(.visibility, ProviderUnit.meters)
    weather.condition = Self.condition(values[.weatherCode] ?? values[.oldWeatherCode])
    return weather
  }

  static func condition(_ code: Double?) -> WeatherCondition? {
    // A negative code such as -999 represents a missing value.
    code.flatMap(Int.init(exactly:)).flatMap { $0 < 0 ? nil : WeatherCondition(wmoCode: $0) }
  }
}

/// The hourly forecast: one array per quantity, with one element per hour.
struct OpenMeteoHourly: Decodable {
  private var time: [OpenMeteoTime?] = []
  private var columns: [OpenMeteoMoment.Field: [Double?]] = [:]
  private var probability: [Double?]?

  private enum OtherKey: String, CodingKey {
    case time
    case probability = "precipitation_probability"
  }

  init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: OpenMeteoMoment.Field.self)
    for field in OpenMeteoMoment.Field.allCases {
      columns[field] = try fields.decodeIfPresent([Double?].self, forKey: field)
    }
    let others = try decoder.container(keyedBy: OtherKey.self)
    time = try others.decodeIfPresent([OpenMeteoTime?].self, forKey: .time) ?? []
    probability = try others.decodeIfPresent([Double?].self, forKey: .probability)
  }

  /// The maximum number of hours: the protocol allows 16 forecast days and 92 past days.
  private static let maxHours = 108 * 24

  func hours(
    _ units: OpenMeteoUnits, offsetSeconds: Int?
  ) throws(WeatherError) -> [HourWeather] {
    var hours: [HourWeather] = []
    for (index, time) in time.prefix(Self.maxHours).enumerated() {
      guard let begin = time?.utc(offsetSeconds: offsetSeconds) else { continue }
      var values: [OpenMeteoMoment.Field: Double] = [:]
      for (field, column) in columns {
        // Precipitation and gusts are for the hour before the given time.
        let coversHourBefore = field == .precipitation || field == .windGust
        values[field] = value(column, at: coversHourBefore ? index + 1 : index)
      }
      var hour = HourWeather(time: begin)
      hour.weather = try OpenMeteoMoment(values: values).weather(units)
      hour.precipitationProbabilityPercent = value(probability, at: index + 1)
      hours.append(hour)
    }
    return hours
  }

  private func value(_ column: [Double?]?, at index: Int) -> Double? {
    column.flatMap { index < $0.count ? $0[index] : nil }
  }
}

/// The daily forecast: one array per quantity, with one element per day.
struct OpenMeteoDaily: Decodable {
  var time: [OpenMeteoTime?]?
  var weatherCode: [Double?]?
  var highest: [Double?]?
  var lowest: [Double?]?
  var precipitation: [Double?]?
  var probability: [Double?]?
  var windSpeed: [Double?]?
  var sunrise: [OpenMeteoTime?]?
  var sunset: [OpenMeteoTime?]?

  enum CodingKeys: String, CodingKey {
    case time, sunrise, sunset
    case weatherCode = "weather_code"
    case highest = "temperature_2m_max"
    case lowest = "temperature_2m_min"
    case precipitation = "precipitation_sum"
    case probability = "precipitation_probability_max"
    case windSpeed = "wind_speed_10m_max"
  }

  func days(
    _ units: OpenMeteoUnits, offsetSeconds: Int?, _ zone: LocalZone
  ) throws(WeatherError) -> [DayWeather] {
    var days: [DayWeather] = []
    // The protocol allows 16 forecast days and 92 past days.
    for (index, time) in (time ?? []).prefix(108).enumerated() {
      guard let date = time?.date(zone) else { continue }
      func column<Value>(_ values: [Value?]?) -> Value? {
        values.flatMap { index < $0.count ? $0[index] : nil }
      }
      var day = DayWeather(date: date)
      day.highestTemperatureDegreesCelsius = try units.value(
        column(highest), "temperature_2m_max", ProviderUnit.celsius)
      day.lowestTemperatureDegreesCelsius = try units.value(
        column(lowest), "temperature_2m_min", ProviderUnit.celsius)
      day.precipitationMillimeters = try units.value(
        column(precipitation), "precipitation_sum", ProviderUnit.millimeters)
      day.precipitationProbabilityPercent = column(probability)
      day.highestWindSpeedMetersPerSecond = try units.value(
        column(windSpeed), "wind_speed_10m_max", ProviderUnit.metersPerSecond)
      day.condition = OpenMeteoMoment.condition(column(weatherCode))
      day.sunrise = column(sunrise)?.utc(offsetSeconds: offsetSeconds)
      day.sunset = column(sunset)?.utc(offsetSeconds: offsetSeconds)
      days.append(day)
    }
    return days
  }
}
