// SPDX-License-Identifier: Apache-2.0

internal import Positioning
internal import WeatherClient

/// The stations near a grid cell as GeoJSON features, the nearest first.
struct NWSStationsReply: Decodable {
  struct Feature: Decodable {
    var geometry: Geometry?
    var properties: Properties?
  }

  /// A GeoJSON point with the longitude before the latitude.
  struct Geometry: Decodable { var coordinates: [Double?]? }
  struct Properties: Decodable { var stationIdentifier: String? }

  var features: [Feature?]

  /// The maximum distance in metres of a station whose observations are used.
  private static let maxDistanceMeters: Double = 25_000

  /// Returns the path of the nearest station's newest observation, or `nil` without a station
  /// within 25 km.
  func observationPath(near coordinate: Coordinate?) -> String? {
    guard let coordinate, let feature = features.lazy.compactMap({ $0 }).first,
      let name = feature.properties?.stationIdentifier, (1...8).contains(name.utf8.count),
      name.utf8.allSatisfy({ (0x41...0x5A).contains($0) || (0x30...0x39).contains($0) }),
      let degrees = feature.geometry?.coordinates, degrees.count >= 2,
      let longitude = degrees[0], let latitude = degrees[1],
      let station = Coordinate(latitudeDegrees: latitude, longitudeDegrees: longitude),
      station.distanceMeters(to: coordinate) <= Self.maxDistanceMeters
    else { return nil }
    return "/stations/\(name)/observations/latest"
  }
}

/// The newest observation of a station.
///
/// Every value may be null.
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

  /// The maximum age of an observation in seconds.
  ///
  /// Stations report hourly, with a delay.
  private static let maxAgeSeconds: Int64 = 5400

  /// Returns the measured weather and the time of the measurement.
  ///
  /// Returns `nil` if the measurement is more than 90 minutes before or after `now`, or has no
  /// temperature. Throws `malformed` for an unknown unit.
  func observation(
    at now: UTCTime
  ) throws(WeatherError) -> (weather: CurrentWeather, time: UTCTime)? {
    guard let time = ProviderTime.iso(properties.timestamp)?.utc,
      abs(now.secondsSince1970 &- time.secondsSince1970) <= Self.maxAgeSeconds
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
