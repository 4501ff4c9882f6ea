// SPDX-License-Identifier: Apache-2.0

internal import Positioning
internal import WeatherClient

/// The numbers that a forecast is made of: a layer for each quantity, in steps of its own.
struct NWSGridReply: Decodable {
  struct Layer<Value: Decodable>: Decodable {
    var uom: String?
    var values: [Step<Value>?]?
  }

  struct Step<Value: Decodable>: Decodable {
    /// `2022-02-03T21:00:00+00:00/PT3H`.
    var validTime: String?
    var value: Value?
  }

  struct Phenomenon: Decodable {
    var weather: String?
    var intensity: String?
  }

  struct Properties: Decodable {
    var updateTime: String?
    var temperature: Layer<Double>?
    var apparentTemperature: Layer<Double>?
    var dewpoint: Layer<Double>?
    var relativeHumidity: Layer<Double>?
    var skyCover: Layer<Double>?
    var windSpeed: Layer<Double>?
    var windGust: Layer<Double>?
    var windDirection: Layer<Double>?
    var visibility: Layer<Double>?
    var probabilityOfPrecipitation: Layer<Double>?
    var quantitativePrecipitation: Layer<Double>?
    var weather: Layer<[Phenomenon?]>?
  }

  var properties: Properties

  /// Now, the hours and the days.
  ///
  /// - Parameters:
  ///   - blank: The report to fill.
  ///   - now: When it was answered; of the hours, the last that has begun by then is now's.
  /// - Returns: The report.
  /// - Throws: `malformed` where a unit is not known, or there is nothing to read.
  func fill(_ blank: WeatherReport, at now: UTCTime?) throws(WeatherError) -> WeatherReport {
    let grid = properties
    guard let hours = NWSGridHours(first: grid.temperature?.values?.first??.validTime) else {
      throw .malformed(field: "properties.temperature", reason: "has no value")
    }
    var report = blank
    report.issuedAt = ProviderTime.iso(grid.updateTime)?.utc
    report.hours = hours.blank
    for (index, amount) in hours.shares(grid.quantitativePrecipitation).enumerated() {
      report.hours[index].weather.precipitationMillimeters = try ProviderUnit.millimeters(
        amount, grid.quantitativePrecipitation?.uom, "properties.quantitativePrecipitation.uom")
    }
    try report.hours.fill(
      hours.values(grid.temperature), \.temperatureDegreesCelsius
    ) { value throws(WeatherError) in
      try ProviderUnit.celsius(value, grid.temperature?.uom, "properties.temperature.uom")
    }
    try report.hours.fill(
      hours.values(grid.apparentTemperature), \.apparentTemperatureDegreesCelsius
    ) { value throws(WeatherError) in
      try ProviderUnit.celsius(
        value, grid.apparentTemperature?.uom, "properties.apparentTemperature.uom")
    }
    try report.hours.fill(
      hours.values(grid.dewpoint), \.dewPointDegreesCelsius
    ) { value throws(WeatherError) in
      try ProviderUnit.celsius(value, grid.dewpoint?.uom, "properties.dewpoint.uom")
    }
    try report.hours.fill(
      hours.values(grid.windSpeed), \.windSpeedMetersPerSecond
    ) { value throws(WeatherError) in
      try ProviderUnit.metersPerSecond(value, grid.windSpeed?.uom, "properties.windSpeed.uom")
    }
    try report.hours.fill(
      hours.values(grid.windGust), \.windGustMetersPerSecond
    ) { value throws(WeatherError) in
      try ProviderUnit.metersPerSecond(value, grid.windGust?.uom, "properties.windGust.uom")
    }
    try report.hours.fill(
      hours.values(grid.visibility), \.visibilityMeters
    ) { value throws(WeatherError) in
      try ProviderUnit.meters(value, grid.visibility?.uom, "properties.visibility.uom")
    }
    fillShares(&report.hours, hours)
    if let hour = report.hours.current(at: now) {
      report.now = hour.weather
      report.validAt = hour.time
    }
    report.days = DaySummary.days(
      of: report.hours, offsetSeconds: DaySummary.nauticalOffsetSeconds(report.coordinate))
    return report
  }

  /// What needs no unit, and the condition out of it.
  private func fillShares(_ steps: inout [HourWeather], _ hours: NWSGridHours) {
    let humidity = hours.values(properties.relativeHumidity)
    let cover = hours.values(properties.skyCover)
    let direction = hours.values(properties.windDirection)
    let probability = hours.values(properties.probabilityOfPrecipitation)
    let weather = hours.values(properties.weather)
    for index in steps.indices {
      steps[index].weather.humidityPercent = humidity[index]
      steps[index].weather.cloudCoverPercent = cover[index]
      steps[index].weather.windDirectionDegreesTrue = direction[index]
      steps[index].precipitationProbabilityPercent = probability[index]
      let phenomenon = weather[index]?.lazy.compactMap { $0 }.first { $0.weather != nil }
      steps[index].weather.condition =
        phenomenon.flatMap { phenomenon in
          phenomenon.weather.map {
            NWSText.condition(weather: $0, intensity: phenomenon.intensity)
          }
        } ?? NWSText.condition(skyCoverPercent: cover[index])
    }
  }
}

extension [HourWeather] {
  fileprivate mutating func fill(
    _ values: [Double?], _ path: WritableKeyPath<CurrentWeather, Double?>,
    _ convert: (Double?) throws(WeatherError) -> Double?
  ) throws(WeatherError) {
    for index in indices where index < values.count {
      self[index].weather[keyPath: path] = try convert(values[index])
    }
  }
}
