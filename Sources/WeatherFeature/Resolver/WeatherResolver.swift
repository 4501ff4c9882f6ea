// SPDX-License-Identifier: Apache-2.0

internal import Positioning
internal import WeatherClient

/// Answers what the weather is from the best there is, and says how good that is.
///
/// From the top: what a provider just said; a stored forecast, interpolated to now; the board's own
/// sensor; and always sun and moon. No answer passes for one of a better quality, and beyond the limits
/// of a quality there is none rather than a wrong one. What has a place needs to know where the board
/// is; what has a time needs to know what time it is.
public struct WeatherResolver: Equatable, Hashable, Sendable {
  /// How many seconds after a report's values were true it is still fresh: an hour, over which
  /// providers' own steps go.
  public var freshSeconds = 3600.0
  /// How many metres from its place a report is still fresh: as far as a lookup is not repeated for.
  public var freshMeters = 5000.0
  /// How many seconds after it was computed a forecast is still told: three days, as long as
  /// forecasts have skill worth the name.
  public var storedSeconds = 259_200.0
  /// How many metres from its place a forecast is still told: 25 km, some cells of a global model.
  public var storedMeters = 25_000.0
  /// How many seconds after it was measured a reading of the board's sensor is told.
  public var sensorSeconds = InstrumentReadings.currentSeconds
  /// How many seconds ahead of the clock a report may be: more, and it is the clock that is wrong.
  public var clockToleranceSeconds = 300.0

  /// Makes a resolver with the usual limits.
  public init() {}

  /// Answers.
  ///
  /// - Parameter situation: What there is to answer from.
  /// - Returns: All rungs that hold, and sun and moon.
  public func answer(_ situation: ResolverSituation) -> LadderAnswer {
    var almanac: Almanac?
    if let time = situation.time, let coordinate = situation.coordinate {
      almanac = Almanac(of: time, at: coordinate)
    }
    return LadderAnswer(
      weather: [fresh(situation), stored(situation), sensor(situation)].compactMap { $0 },
      almanac: almanac)
  }

  private func fresh(_ situation: ResolverSituation) -> WeatherAnswer? {
    guard let report = situation.report, report.kind == .observed || report.kind == .forecast,
      let coordinate = situation.coordinate
    else { return nil }
    let distance = coordinate.distanceMeters(to: report.coordinate)
    guard distance <= freshMeters, report.now != CurrentWeather() else { return nil }
    // Since the values were true, and since they arrived, where that is known: the clock that sets
    // itself by fixes may not know the one, a report from the store not the other.
    let sinceArrival = report.receivedAt.map { situation.now.seconds(since: $0) }
    let sinceTrue = seconds(since: report.validAt ?? report.issuedAt, situation)
    guard let age = [sinceTrue, sinceArrival].compactMap({ $0 }).max(),
      [sinceTrue, sinceArrival].allSatisfy({ holds($0, within: freshSeconds) })
    else { return nil }
    let issued = seconds(since: report.issuedAt, situation) ?? age
    guard holds(issued, within: storedSeconds) else { return nil }
    return WeatherAnswer(
      quality: .fresh, kind: report.kind, weather: report.now, provider: report.provider,
      attribution: report.attribution, ageSeconds: max(issued, age, 0), distanceMeters: distance,
      isSimulated: report.isSimulated)
  }

  private func stored(_ situation: ResolverSituation) -> WeatherAnswer? {
    guard let forecast = situation.forecast, let time = situation.time,
      let coordinate = situation.coordinate,
      let age = seconds(since: forecast.issuedAt, situation), holds(age, within: storedSeconds)
    else { return nil }
    let distance = coordinate.distanceMeters(to: forecast.coordinate)
    guard distance <= storedMeters, let weather = forecast.weather(at: time),
      weather != CurrentWeather()
    else { return nil }
    return WeatherAnswer(
      quality: .stored, kind: .interpolated, weather: weather, provider: forecast.provider,
      attribution: forecast.attribution, ageSeconds: max(age, 0), distanceMeters: distance,
      isSimulated: forecast.isSimulated)
  }

  private func sensor(_ situation: ResolverSituation) -> WeatherAnswer? {
    guard let reading = situation.sensor, !reading.isEmpty, let measuredAt = reading.measuredAt
    else { return nil }
    let age = situation.now.seconds(since: measuredAt)
    guard age >= 0, age <= sensorSeconds else { return nil }
    var weather = CurrentWeather()
    weather.temperatureDegreesCelsius = reading.temperatureDegreesCelsius
    weather.humidityPercent = reading.humidityPercent
    weather.dewPointDegreesCelsius = reading.dewPointDegreesCelsius
    weather.windSpeedMetersPerSecond = reading.windSpeedMetersPerSecond
    weather.windDirectionDegreesTrue = reading.windDirectionDegreesTrue
    weather.waterTemperatureDegreesCelsius = reading.waterTemperatureDegreesCelsius
    weather.pressureSeaLevelHectopascals = reading.pressureSeaLevelHectopascals
    // The pressure at the board's height would pass for that of sea level: without a height, none.
    if let altitude = situation.altitudeMetersAboveSeaLevel,
      weather.pressureSeaLevelHectopascals == nil
    {
      weather.pressureSeaLevelHectopascals = SeaLevelPressure.hectopascals(
        of: reading, altitudeMetersAboveSeaLevel: altitude,
        altitudeAccuracy: situation.altitudeAccuracy)
    }
    guard weather != CurrentWeather() else { return nil }
    return WeatherAnswer(
      quality: .sensor, kind: .sensor, weather: weather, provider: reading.name, attribution: nil,
      ageSeconds: age, distanceMeters: 0, isSimulated: reading.isSimulated,
      receiver: reading.receiver)
  }

  /// Seconds since a moment, negative where it is ahead; `nil` where either is not known.
  private func seconds(since moment: UTCTime?, _ situation: ResolverSituation) -> Double? {
    guard let moment, let time = situation.time else { return nil }
    return Double(time.nanoseconds(since: moment)) / 1e9
  }

  private func holds(_ age: Double?, within limit: Double) -> Bool {
    guard let age else { return true }
    return age >= -clockToleranceSeconds && age <= limit
  }
}
