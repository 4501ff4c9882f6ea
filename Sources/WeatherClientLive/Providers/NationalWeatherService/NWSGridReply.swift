// SPDX-License-Identifier: Apache-2.0

internal import Positioning
internal import WeatherClient

/// The raw data of a forecast grid, in which each quantity has a layer with its own time steps.
struct NWSGridReply: Decodable {
  struct Layer<Value: Decodable>: Decodable {
    var uom: String?
    var values: [Step<Value>?]?
  }

  struct Step<Value: Decodable>: Decodable {
    /// Start and duration, such as `2022-02-03T21:00:00+00:00/PT3H`.
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

  /// Adds the current weather and the hours to a report.
  func fill(_ blank: WeatherReport, at now: UTCTime?) throws(WeatherError) -> WeatherReport {
    let grid = properties
    guard let hours = NWSGridHours(first: grid.temperature?.values?.first??.validTime) else {
      throw .malformed(field: "properties.temperature", reason: "has no value")
    }
    var report = blank
    report.issuedAt = ProviderTime.iso(grid.updateTime)?.utc
    report.hours = hours.blank
    let amounts = grid.quantitativePrecipitation
    for (index, amount) in hours.hourlyAmounts(amounts).enumerated() {
      report.hours[index].weather.precipitationMillimeters = try ProviderUnit.millimeters(
        amount, amounts?.uom, "properties.quantitativePrecipitation.uom")
    }
    func fill(
      _ path: WritableKeyPath<CurrentWeather, Double?>, _ name: String, _ layer: Layer<Double>?,
      _ convert: ProviderUnit.Conversion
    ) throws(WeatherError) {
      let field = "properties.\(name).uom"
      for (index, value) in hours.values(layer).enumerated() {
        report.hours[index].weather[keyPath: path] = try convert(value, layer?.uom, field)
      }
    }
    try fill(
      \.temperatureDegreesCelsius, "temperature", grid.temperature, ProviderUnit.celsius)
    try fill(
      \.apparentTemperatureDegreesCelsius, "apparentTemperature", grid.apparentTemperature,
      ProviderUnit.celsius)
    try fill(\.dewPointDegreesCelsius, "dewpoint", grid.dewpoint, ProviderUnit.celsius)
    try fill(
      \.windSpeedMetersPerSecond, "windSpeed", grid.windSpeed, ProviderUnit.metersPerSecond)
    try fill(\.windGustMetersPerSecond, "windGust", grid.windGust, ProviderUnit.metersPerSecond)
    try fill(\.visibilityMeters, "visibility", grid.visibility, ProviderUnit.meters)
    fillUnitless(&report.hours, hours)
    report.setCurrent(at: now)
    return report
  }

  /// Sets the quantities that need no unit conversion, and the condition.
  private func fillUnitless(_ steps: inout [HourWeather], _ hours: NWSGridHours) {
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

/// The hours to which the layers are mapped: a week from the first temperature step.
struct NWSGridHours: Equatable {
  private static let count = 7 * 24
  private let firstSecond: Int64

  /// Creates the hours, or returns `nil` if `first` is invalid.
  ///
  /// - Parameter first: The start and duration of the first step.
  init?(first: String?) {
    guard let span = Self.span(first) else { return nil }
    firstSecond = span.second
  }

  /// The hours without values.
  var blank: [HourWeather] {
    (0..<Self.count).map {
      HourWeather(time: UTCTime(secondsSince1970: firstSecond &+ Int64($0) * 3600))
    }
  }

  /// Returns the value of each hour, or `nil` for hours that no step covers.
  func values<Value>(_ layer: NWSGridReply.Layer<Value>?) -> [Value?] {
    var values = [Value?](repeating: nil, count: Self.count)
    for step in (layer?.values ?? []).prefix(2000) {
      guard let step, let value = step.value, let hours = hours(step.validTime) else { continue }
      for hour in hours { values[hour] = value }
    }
    return values
  }

  /// Returns the amount of each hour, by dividing the amount of each step evenly among its hours.
  func hourlyAmounts(_ layer: NWSGridReply.Layer<Double>?) -> [Double?] {
    var hourlyAmounts = [Double?](repeating: nil, count: Self.count)
    for step in (layer?.values ?? []).prefix(2000) {
      guard let step, let amount = step.value, let span = Self.span(step.validTime),
        let hours = hours(step.validTime)
      else { continue }
      for hour in hours { hourlyAmounts[hour] = amount * 3600 / Double(span.duration) }
    }
    return hourlyAmounts
  }

  private func hours(_ validTime: String?) -> Range<Int>? {
    guard let span = Self.span(validTime) else { return nil }
    // The difference cannot overflow: both times are between 1970 and 2200.
    let first = (span.second - firstSecond) / 3600
    let last = (span.second + Int64(span.duration) - firstSecond + 3599) / 3600
    let lower = min(max(Int(first), 0), Self.count)
    return lower..<min(max(Int(last), lower), Self.count)
  }

  private static func span(_ validTime: String?) -> (second: Int64, duration: Int)? {
    guard let parts = validTime?.split(separator: "/"), parts.count == 2,
      let begin = ProviderTime.iso(String(parts[0]))?.utc,
      let duration = ProviderTime.durationSeconds(parts[1])
    else { return nil }
    return (begin.secondsSince1970, duration)
  }
}
