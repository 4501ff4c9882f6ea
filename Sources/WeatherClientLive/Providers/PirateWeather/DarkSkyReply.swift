// SPDX-License-Identifier: Apache-2.0

internal import Positioning
internal import SystemSupport
internal import WeatherClient

/// A reply in Dark Sky's protocol.
///
/// Every field may be missing, null or -999.
struct DarkSkyReply: Decodable {
  /// The IANA time zone.
  var timezone: String?
  /// The offset of the local time from UTC in hours.
  var offset: Double?
  var currently: DarkSkyPoint?
  var hourly: Block?
  var daily: Block?
  var flags: Flags?

  struct Block: Decodable { var data: [DarkSkyPoint?]? }
  struct Flags: Decodable { var units: String? }

  /// Adds the values to a report, in the units of this project.
  func fill(_ blank: WeatherReport) throws(WeatherError) -> WeatherReport {
    guard currently != nil || hourly != nil || daily != nil else {
      throw .malformed(field: "reply", reason: "has neither currently nor hourly nor daily")
    }
    let units = try DarkSkyUnits(flags?.units)
    var report = blank
    if let currently {
      report.now = try currently.weather(units)
      report.validAt = ProviderTime.unix(currently.time)
    }
    // The longest forecast has 168 hours.
    for point in (hourly?.data ?? []).prefix(240) {
      guard let point, let time = ProviderTime.unix(point.time) else { continue }
      var hour = HourWeather(time: time)
      hour.weather = try point.weather(units)
      hour.precipitationProbabilityPercent = point.probabilityPercent
      report.hours.append(hour)
    }
    let zone = PlaceZone(name: timezone, offsetSeconds: offset.map { $0 * 3600 })
      .zone(at: report.coordinate, report.validAt ?? report.hours.first?.time)
    var days: [DayWeather] = []
    for point in (daily?.data ?? []).prefix(32) {
      guard let point, let day = try day(point, units, zone) else { continue }
      days.append(day)
    }
    report.setDays(days, in: zone)
    return report
  }

  /// Converts a day, whose `time` is local midnight.
  private func day(
    _ point: DarkSkyPoint, _ units: DarkSkyUnits, _ zone: LocalZone
  ) throws(WeatherError) -> DayWeather? {
    guard let time = ProviderTime.unix(point.time) else { return nil }
    var day = DayWeather(date: zone.date(nearMidnight: time))
    day.lowestTemperatureDegreesCelsius = try units.celsius(point.temperatureMin)
    day.highestTemperatureDegreesCelsius = try units.celsius(point.temperatureMax)
    // The intensity is the mean amount per hour of the day.
    day.precipitationMillimeters = try units.millimeters(point.intensity).map { $0 * 24 }
    day.precipitationProbabilityPercent = point.probabilityPercent
    day.condition = point.icon.map(DarkSkyIcon.condition)
    day.sunrise = ProviderTime.unix(point.sunriseTime)
    day.sunset = ProviderTime.unix(point.sunsetTime)
    return day
  }
}

/// The values of a moment, an hour or a day.
struct DarkSkyPoint: Decodable {
  var time: Double?
  var icon: String?
  var temperature: Double?
  var apparentTemperature: Double?
  var temperatureMin: Double?
  var temperatureMax: Double?
  var dewPoint: Double?
  var humidity: Double?
  var pressure: Double?
  var windSpeed: Double?
  var windGust: Double?
  var windBearing: Double?
  var cloudCover: Double?
  var visibility: Double?
  var intensity: Double?
  var probability: Double?
  var sunriseTime: Double?
  var sunsetTime: Double?

  enum CodingKeys: String, CodingKey {
    case time, icon, temperature, apparentTemperature, temperatureMin, temperatureMax, dewPoint
    case humidity, pressure, windSpeed, windGust, windBearing, cloudCover, visibility
    case sunriseTime, sunsetTime
    case intensity = "precipIntensity"
    case probability = "precipProbability"
  }

  /// Converts a fraction from 0 to 1 to percent.
  private static func percent(_ fraction: Double?) -> Double? { fraction.map { $0 * 100 } }

  var probabilityPercent: Double? { Self.percent(probability) }

  func weather(_ units: DarkSkyUnits) throws(WeatherError) -> CurrentWeather {
    var weather = CurrentWeather()
    weather.temperatureDegreesCelsius = try units.celsius(temperature)
    weather.apparentTemperatureDegreesCelsius = try units.celsius(apparentTemperature)
    weather.dewPointDegreesCelsius = try units.celsius(dewPoint)
    weather.humidityPercent = Self.percent(humidity)
    // Pressure is in hectopascals in all unit systems and reduced to sea level.
    weather.pressureSeaLevelHectopascals = pressure
    weather.windSpeedMetersPerSecond = try units.metersPerSecond(windSpeed)
    weather.windGustMetersPerSecond = try units.metersPerSecond(windGust)
    weather.windDirectionDegreesTrue = windBearing
    weather.precipitationMillimeters = try units.millimeters(intensity)
    weather.cloudCoverPercent = Self.percent(cloudCover)
    weather.visibilityMeters = try units.meters(visibility)
    weather.condition = icon.map(DarkSkyIcon.condition)
    return weather
  }
}

/// A unit system of Dark Sky.
///
/// Without `flags.units`, a reply uses the requested system, `si`. Precipitation intensities are
/// per hour in all systems, so the amount for an hour equals the intensity.
struct DarkSkyUnits: Equatable {
  private var temperature = "C"
  private var speed = "m/s"
  private var depth = "mm"
  private var distance = "km"

  init(_ system: String?) throws(WeatherError) {
    switch system {
    case nil, "si": break
    case "ca": speed = "km/h"
    case "uk", "uk2": (speed, distance) = ("mph", "mi")
    case "us": (temperature, speed, depth, distance) = ("F", "mph", "in", "mi")
    case let other?:
      throw .malformed(
        field: "flags.units",
        reason: "is \"\(WeatherReply.sanitized(other))\", which is not a known unit system")
    }
  }

  func celsius(_ value: Double?) throws(WeatherError) -> Double? {
    try ProviderUnit.celsius(value, temperature, "flags.units")
  }

  func metersPerSecond(_ value: Double?) throws(WeatherError) -> Double? {
    try ProviderUnit.metersPerSecond(value, speed, "flags.units")
  }

  func millimeters(_ value: Double?) throws(WeatherError) -> Double? {
    try ProviderUnit.millimeters(value, depth, "flags.units")
  }

  func meters(_ value: Double?) throws(WeatherError) -> Double? {
    try ProviderUnit.meters(value, distance, "flags.units")
  }
}

/// Maps Dark Sky's icon names, including those that Pirate Weather has added.
enum DarkSkyIcon {
  static func condition(_ icon: String) -> WeatherCondition {
    var code = icon
    for suffix in ["-day", "-night"] where code.hasSuffix(suffix) {
      code.removeLast(suffix.count)
    }
    if code.hasPrefix("possible-") { code.removeFirst("possible-".count) }
    return conditions[code] ?? WeatherCondition(unknownCode: icon)
  }

  private static let conditions: [String: WeatherCondition] = [
    "clear": .clear, "mostly-clear": .mainlyClear, "partly-cloudy": .partlyCloudy,
    "mostly-cloudy": .mostlyCloudy, "cloudy": .overcast, "overcast": .overcast, "fog": .fog,
    "mist": .mist, "haze": .haze, "smoke": .smoke, "drizzle": .drizzle, "light-rain": .lightRain,
    "rain": .rain, "heavy-rain": .heavyRain, "freezing-rain": .freezingRain,
    "freezing-drizzle": .freezingDrizzle, "light-freezing-rain": .freezingRain,
    "heavy-freezing-rain": .freezingRain, "very-light-sleet": .lightSleet,
    "light-sleet": .lightSleet, "sleet": .sleet, "heavy-sleet": .heavySleet, "mixed": .sleet,
    "flurries": .lightSnowShowers, "light-snow": .lightSnow, "snow": .snow,
    "heavy-snow": .heavySnow, "hail": .hail, "thunderstorm": .thunderstorm, "wind": .windy,
    "breezy": .windy, "dangerous-wind": .windy, "dangerous-winds": .windy, "tornado": .tornado,
  ]
}
