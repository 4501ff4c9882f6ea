// SPDX-License-Identifier: Apache-2.0

internal import Positioning
internal import WeatherClient

/// Selects the current weather from a provider's report, a stored forecast and sensors.
///
/// There is an answer for each of three qualities if the source is within its limits: a fresh
/// report, a stored forecast interpolated to the current time, and sensor readings. A report
/// requires the location of the board. A forecast and the almanac require the location and the
/// time.
public struct WeatherResolver: Equatable, Hashable, Sendable {
  /// The maximum age of a fresh report in seconds: one hour, the usual step of providers.
  public var freshSeconds = 3600.0
  /// The maximum distance of a fresh report in metres; at this distance, a lookup is repeated.
  public var freshMeters = 5000.0
  /// The maximum age of a forecast in seconds: three days, as long as forecasts are reliable.
  public var storedSeconds = 259_200.0
  /// The maximum distance of a forecast in metres: 25 km, a few cells of a global weather model.
  public var storedMeters = 25_000.0
  /// The maximum age of a sensor reading in seconds.
  public var sensorSeconds = InstrumentReadings.currentSeconds
  /// The maximum time in seconds by which a report may be ahead of the clock.
  ///
  /// If the report is further ahead, the clock is wrong and the report is not used.
  public var clockToleranceSeconds = 300.0

  /// Creates a resolver with the default limits.
  public init() {}

  /// Resolves the current weather.
  ///
  /// - Parameter input: The available data.
  /// - Returns: The answers from sources within their limits, and the almanac.
  public func answer(_ input: ResolverInput) -> ResolvedWeather {
    var almanac: Almanac?
    if let time = input.time, let coordinate = input.coordinate {
      almanac = Almanac(of: time, at: coordinate)
    }
    return ResolvedWeather(
      weather: [fresh(input), stored(input), sensor(input)].compactMap { $0 },
      almanac: almanac)
  }

  private func fresh(_ input: ResolverInput) -> WeatherAnswer? {
    guard let report = input.report, report.kind == .observed || report.kind == .forecast,
      let coordinate = input.coordinate
    else { return nil }
    let distance = coordinate.distanceMeters(to: report.coordinate)
    guard distance <= freshMeters, report.now != CurrentWeather() else { return nil }
    // Check the age of the values and the time since arrival. The age is unknown if the clock is
    // not set. The time since arrival is unknown for a report from the store.
    let sinceArrival = report.receivedAt.map { input.now.seconds(since: $0) }
    let sinceValid = seconds(since: report.validAt ?? report.issuedAt, input)
    guard let age = [sinceValid, sinceArrival].compactMap({ $0 }).max(),
      [sinceValid, sinceArrival].allSatisfy({ isAcceptable($0, upTo: freshSeconds) })
    else { return nil }
    let issued = seconds(since: report.issuedAt, input) ?? age
    guard isAcceptable(issued, upTo: storedSeconds) else { return nil }
    return WeatherAnswer(
      quality: .fresh, kind: report.kind, weather: report.now, provider: report.provider,
      attribution: report.attribution, ageSeconds: max(issued, age, 0), distanceMeters: distance,
      isSimulated: report.isSimulated, via: report.via)
  }

  private func stored(_ input: ResolverInput) -> WeatherAnswer? {
    guard let forecast = input.forecast, let time = input.time,
      let coordinate = input.coordinate,
      let age = seconds(since: forecast.issuedAt, input), isAcceptable(age, upTo: storedSeconds)
    else { return nil }
    let distance = coordinate.distanceMeters(to: forecast.coordinate)
    guard distance <= storedMeters, let weather = forecast.weather(at: time),
      weather != CurrentWeather()
    else { return nil }
    return WeatherAnswer(
      quality: .stored, kind: .interpolated, weather: weather, provider: forecast.provider,
      attribution: forecast.attribution, ageSeconds: max(age, 0), distanceMeters: distance,
      isSimulated: forecast.isSimulated, via: forecast.via)
  }

  private func sensor(_ input: ResolverInput) -> WeatherAnswer? {
    guard let reading = input.sensor, !reading.isEmpty, let measuredAt = reading.measuredAt
    else { return nil }
    let age = input.now.seconds(since: measuredAt)
    guard age >= 0, age <= sensorSeconds else { return nil }
    var weather = CurrentWeather()
    weather.temperatureDegreesCelsius = reading.temperatureDegreesCelsius
    weather.humidityPercent = reading.humidityPercent
    weather.dewPointDegreesCelsius = reading.dewPointDegreesCelsius
    weather.windSpeedMetersPerSecond = reading.windSpeedMetersPerSecond
    weather.windDirectionDegreesTrue = reading.windDirectionDegreesTrue
    weather.waterTemperatureDegreesCelsius = reading.waterTemperatureDegreesCelsius
    weather.pressureSeaLevelHectopascals = reading.pressureSeaLevelHectopascals
    // The reduction of the station pressure to sea level requires the height.
    if let altitude = input.altitudeMetersAboveSeaLevel,
      weather.pressureSeaLevelHectopascals == nil
    {
      weather.pressureSeaLevelHectopascals = SeaLevelPressure.hectopascals(
        of: reading, altitudeMetersAboveSeaLevel: altitude,
        altitudeAccuracy: input.altitudeAccuracy)
    }
    guard weather != CurrentWeather() else { return nil }
    return WeatherAnswer(
      quality: .sensor, kind: .sensor, weather: weather, provider: reading.name, attribution: nil,
      ageSeconds: age, distanceMeters: 0, isSimulated: reading.isSimulated,
      receiver: reading.receiver, isReplayed: reading.isReplayed)
  }

  /// Returns the seconds since a time, or `nil` if that time or the current time is unknown.
  private func seconds(since moment: UTCTime?, _ input: ResolverInput) -> Double? {
    guard let moment, let time = input.time else { return nil }
    return Double(time.nanoseconds(since: moment)) / 1e9
  }

  private func isAcceptable(_ age: Double?, upTo limit: Double) -> Bool {
    guard let age else { return true }
    return age >= -clockToleranceSeconds && age <= limit
  }
}
