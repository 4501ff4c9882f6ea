// SPDX-License-Identifier: Apache-2.0

internal import Positioning
internal import WeatherClient

/// What a station measured last; every value may be null.
struct NWSObservationReply: Decodable {
  struct Properties: Decodable {
    var timestamp: String?
    var icon: String?
    var temperature: NWSValue?
    var dewpoint: NWSValue?
    var relativeHumidity: NWSValue?
    var windSpeed: NWSValue?
    var windGust: NWSValue?
    var windDirection: NWSValue?
    var seaLevelPressure: NWSValue?
    var visibility: NWSValue?
    var precipitationLastHour: NWSValue?
  }

  var properties: Properties

  /// Stations report every hour, and late.
  private static let oldestSeconds: Int64 = 5400

  /// The weather now, and when it was measured.
  ///
  /// - Parameter now: The present time.
  /// - Returns: `nil` where it is too old, or has no temperature.
  /// - Throws: `malformed` where a unit is not known.
  func observation(
    at now: UTCTime
  ) throws(WeatherError) -> (weather: CurrentWeather, time: UTCTime)? {
    guard let time = ProviderTime.iso(properties.timestamp)?.utc,
      abs(now.secondsSince1970 &- time.secondsSince1970) <= Self.oldestSeconds
    else { return nil }
    let weather = try weather()
    return weather.temperatureDegreesCelsius == nil ? nil : (weather, time)
  }

  private func weather() throws(WeatherError) -> CurrentWeather {
    let measured = properties
    var weather = CurrentWeather()
    weather.temperatureDegreesCelsius = try ProviderUnit.celsius(
      measured.temperature?.value, measured.temperature?.unitCode, "temperature.unitCode")
    weather.dewPointDegreesCelsius = try ProviderUnit.celsius(
      measured.dewpoint?.value, measured.dewpoint?.unitCode, "dewpoint.unitCode")
    weather.humidityPercent = measured.relativeHumidity?.value
    weather.windSpeedMetersPerSecond = try ProviderUnit.metersPerSecond(
      measured.windSpeed?.value, measured.windSpeed?.unitCode, "windSpeed.unitCode")
    weather.windGustMetersPerSecond = try ProviderUnit.metersPerSecond(
      measured.windGust?.value, measured.windGust?.unitCode, "windGust.unitCode")
    weather.windDirectionDegreesTrue = measured.windDirection?.value
    weather.pressureSeaLevelHectopascals = try ProviderUnit.hectopascals(
      measured.seaLevelPressure?.value, measured.seaLevelPressure?.unitCode,
      "seaLevelPressure.unitCode")
    weather.visibilityMeters = try ProviderUnit.meters(
      measured.visibility?.value, measured.visibility?.unitCode, "visibility.unitCode")
    weather.precipitationMillimeters = try ProviderUnit.millimeters(
      measured.precipitationLastHour?.value, measured.precipitationLastHour?.unitCode,
      "precipitationLastHour.unitCode")
    weather.condition = measured.icon.map(NWSText.condition)
    return weather
  }
}
