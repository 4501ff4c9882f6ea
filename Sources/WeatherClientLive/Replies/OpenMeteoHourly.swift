// SPDX-License-Identifier: Apache-2.0

internal import Positioning
internal import WeatherClient

/// Columns: the n-th element of each belongs to the n-th hour.
struct OpenMeteoHourly: Decodable {
  private var time: [OpenMeteoTime?] = []
  private var columns: [OpenMeteoMoment.CodingKeys: [Double?]] = [:]
  private var probability: [Double?]?

  private enum ProbabilityKey: String, CodingKey {
    case probability = "precipitation_probability"
  }

  init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: OpenMeteoMoment.CodingKeys.self)
    for key in OpenMeteoMoment.CodingKeys.allCases {
      if key == .time {
        time = try values.decodeIfPresent([OpenMeteoTime?].self, forKey: key) ?? []
      } else {
        columns[key] = try values.decodeIfPresent([Double?].self, forKey: key)
      }
    }
    probability = try decoder.container(keyedBy: ProbabilityKey.self)
      .decodeIfPresent([Double?].self, forKey: .probability)
  }

  /// The protocol knows sixteen days, and ninety-two past ones.
  private static let mostHours = 108 * 24

  func hours(
    _ units: OpenMeteoUnits, offsetSeconds: Int?
  ) throws(WeatherError) -> [HourWeather] {
    var hours: [HourWeather] = []
    for (index, time) in time.prefix(Self.mostHours).enumerated() {
      guard let begin = time?.utc(offsetSeconds: offsetSeconds) else { continue }
      var hour = HourWeather(time: begin)
      hour.weather = try moment(at: index).weather(units)
      hour.precipitationProbabilityPercent = value(probability, at: index + 1)
      hours.append(hour)
    }
    return hours
  }

  private func moment(at index: Int) -> OpenMeteoMoment {
    func column(_ key: OpenMeteoMoment.CodingKeys) -> Double? { value(columns[key], at: index) }
    var moment = OpenMeteoMoment()
    moment.temperature = column(.temperature)
    moment.apparentTemperature = column(.apparentTemperature)
    moment.dewPoint = column(.dewPoint)
    moment.humidity = column(.humidity)
    moment.oldHumidity = column(.oldHumidity)
    // What it says at an hour is the sum over the hour before, and for gusts the highest in it.
    moment.precipitation = value(columns[.precipitation], at: index + 1)
    moment.weatherCode = column(.weatherCode)
    moment.oldWeatherCode = column(.oldWeatherCode)
    moment.cloudCover = column(.cloudCover)
    moment.pressure = column(.pressure)
    moment.windSpeed = column(.windSpeed)
    moment.oldWindSpeed = column(.oldWindSpeed)
    moment.windGust = value(columns[.windGust], at: index + 1)
    moment.windDirection = column(.windDirection)
    moment.oldWindDirection = column(.oldWindDirection)
    moment.visibility = column(.visibility)
    return moment
  }

  private func value(_ column: [Double?]?, at index: Int) -> Double? {
    column.flatMap { index < $0.count ? $0[index] : nil }
  }
}
