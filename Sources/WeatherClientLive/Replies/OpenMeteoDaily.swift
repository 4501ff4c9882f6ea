// SPDX-License-Identifier: Apache-2.0

internal import Positioning
internal import WeatherClient

/// Columns: the n-th element of each belongs to the n-th day.
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

  func days(_ units: OpenMeteoUnits, offsetSeconds: Int?) throws(WeatherError) -> [DayWeather] {
    var days: [DayWeather] = []
    // The protocol knows sixteen days, and ninety-two past ones.
    for (index, time) in (time ?? []).prefix(108).enumerated() {
      guard let date = time?.date(offsetSeconds: offsetSeconds) else { continue }
      func column<Value>(_ values: [Value?]?) -> Value? {
        values.flatMap { index < $0.count ? $0[index] : nil }
      }
      var day = DayWeather(date: date)
      day.highestTemperatureDegreesCelsius = try units.celsius(
        column(highest), "temperature_2m_max")
      day.lowestTemperatureDegreesCelsius = try units.celsius(column(lowest), "temperature_2m_min")
      day.precipitationMillimeters = try units.millimeters(
        column(precipitation), "precipitation_sum")
      day.precipitationProbabilityPercent = column(probability)
      day.highestWindSpeedMetersPerSecond = try units.metersPerSecond(
        column(windSpeed), "wind_speed_10m_max")
      day.condition = OpenMeteoMoment.condition(column(weatherCode))
      day.sunrise = column(sunrise)?.utc(offsetSeconds: offsetSeconds)
      day.sunset = column(sunset)?.utc(offsetSeconds: offsetSeconds)
      days.append(day)
    }
    return days
  }
}
