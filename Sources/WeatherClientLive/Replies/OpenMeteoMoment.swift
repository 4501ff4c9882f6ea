// SPDX-License-Identifier: Apache-2.0

internal import WeatherClient

/// The weather of a moment, as Open-Meteo names it.
struct OpenMeteoMoment: Decodable {
  var time: OpenMeteoTime?
  var temperature: Double?
  var apparentTemperature: Double?
  var dewPoint: Double?
  var humidity: Double?
  var oldHumidity: Double?
  var precipitation: Double?
  var weatherCode: Double?
  var oldWeatherCode: Double?
  var cloudCover: Double?
  var pressure: Double?
  var windSpeed: Double?
  var oldWindSpeed: Double?
  var windGust: Double?
  var windDirection: Double?
  var oldWindDirection: Double?
  var visibility: Double?

  enum CodingKeys: String, CodingKey, CaseIterable {
    case time, precipitation, visibility
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

  init() {}

  /// The moment in this project's units.
  func weather(_ units: OpenMeteoUnits) throws(WeatherError) -> CurrentWeather {
    var weather = CurrentWeather()
    weather.temperatureDegreesCelsius = try units.celsius(temperature, "temperature_2m")
    weather.apparentTemperatureDegreesCelsius = try units.celsius(
      apparentTemperature, "apparent_temperature")
    weather.dewPointDegreesCelsius = try units.celsius(dewPoint, "dew_point_2m")
    weather.humidityPercent = humidity ?? oldHumidity
    weather.pressureSeaLevelHectopascals = pressure
    let wind = try units.metersPerSecond(windSpeed, "wind_speed_10m")
    let oldWind = try units.metersPerSecond(oldWindSpeed, "windspeed_10m")
    weather.windSpeedMetersPerSecond = wind ?? oldWind
    weather.windGustMetersPerSecond = try units.metersPerSecond(windGust, "wind_gusts_10m")
    weather.windDirectionDegreesTrue = windDirection ?? oldWindDirection
    weather.precipitationMillimeters = try units.millimeters(precipitation, "precipitation")
    weather.cloudCoverPercent = cloudCover
    weather.visibilityMeters = try units.meters(visibility, "visibility")
    weather.condition = Self.condition(weatherCode ?? oldWeatherCode)
    return weather
  }

  static func condition(_ code: Double?) -> WeatherCondition? {
    // -999 and other codes below 0 stand for no code.
    code.flatMap(Int.init(exactly:)).flatMap { $0 < 0 ? nil : WeatherCondition(wmoCode: $0) }
  }
}
