// SPDX-License-Identifier: Apache-2.0

internal import Positioning
internal import WeatherClient

/// A city, found by coordinate.
struct MetaWeatherPlace: Decodable {
  /// "Where on Earth", Yahoo's number of it.
  var woeid: Int64
  /// `51.506321,-0.12714`.
  var lattLong: String?

  enum CodingKeys: String, CodingKey {
    case woeid
    case lattLong = "latt_long"
  }

  var coordinate: Coordinate? {
    let degrees = (lattLong ?? "").split(separator: ",").map { Double($0) }
    guard degrees.count == 2, let latitude = degrees[0], let longitude = degrees[1] else {
      return nil
    }
    return Coordinate(latitudeDegrees: latitude, longitudeDegrees: longitude)
  }
}

/// A city's weather: six days, of which the first tells of now.
struct MetaWeatherReply: Decodable {
  struct Day: Decodable {
    var applicableDate: String?
    var created: String?
    var state: String?
    var temperature: Double?
    var lowest: Double?
    var highest: Double?
    var windSpeed: Double?
    var windDirection: Double?
    var pressure: Double?
    var humidity: Double?
    var visibility: Double?

    enum CodingKeys: String, CodingKey {
      case created, humidity, visibility
      case applicableDate = "applicable_date"
      case state = "weather_state_abbr"
      case temperature = "the_temp"
      case lowest = "min_temp"
      case highest = "max_temp"
      case windSpeed = "wind_speed"
      case windDirection = "wind_direction"
      case pressure = "air_pressure"
    }
  }

  var days: [Day?]
  var sunrise: String?
  var sunset: String?

  enum CodingKeys: String, CodingKey {
    case days = "consolidated_weather"
    case sunrise = "sun_rise"
    case sunset = "sun_set"
  }

  func fill(_ blank: WeatherReport) throws(WeatherError) -> WeatherReport {
    var report = blank
    let days = days.prefix(32).compactMap { $0 }
    if let first = days.first {
      report.now = try first.now()
      report.issuedAt = ProviderTime.iso(first.created)?.utc
      report.validAt = report.issuedAt
    }
    for day in days {
      guard let date = ProviderTime.iso(day.applicableDate.map { $0 + "T00:00Z" })?.date else {
        continue
      }
      var made = DayWeather(date: date)
      made.lowestTemperatureDegreesCelsius = day.lowest
      made.highestTemperatureDegreesCelsius = day.highest
      made.highestWindSpeedMetersPerSecond = try day.windMetersPerSecond()
      made.condition = day.state.map(Self.condition)
      if report.days.isEmpty {
        made.sunrise = ProviderTime.iso(sunrise)?.utc
        made.sunset = ProviderTime.iso(sunset)?.utc
      }
      report.days.append(made)
    }
    return report
  }

  static func condition(_ state: String) -> WeatherCondition {
    switch state {
    case "sn": .snow
    case "sl": .sleet
    case "h": .hail
    case "t": .thunderstorm
    case "hr": .heavyRain
    case "lr": .lightRain
    case "s": .rainShowers
    case "hc": .overcast
    case "lc": .partlyCloudy
    case "c": .clear
    default: WeatherCondition(unknownCode: state)
    }
  }
}

extension MetaWeatherReply.Day {
  func windMetersPerSecond() throws(WeatherError) -> Double? {
    try ProviderUnit.metersPerSecond(windSpeed, "mph", "wind_speed")
  }

  func now() throws(WeatherError) -> CurrentWeather {
    var now = CurrentWeather()
    now.temperatureDegreesCelsius = temperature
    now.windSpeedMetersPerSecond = try windMetersPerSecond()
    now.windDirectionDegreesTrue = windDirection
    now.pressureSeaLevelHectopascals = pressure
    now.humidityPercent = humidity
    now.visibilityMeters = try ProviderUnit.meters(visibility, "mi", "visibility")
    now.condition = state.map(MetaWeatherReply.condition)
    return now
  }
}
