// SPDX-License-Identifier: Apache-2.0

package import Positioning
package import WeatherClient
package import WeatherFeature

extension JSONLine {
  /// Appends the current weather information as a `WEATHER` object.
  ///
  /// `lat` and `lon` are the coordinate for which the values are valid, `age` is the age of the
  /// values, and `distance` is the distance of that coordinate from the board. `stale` is false
  /// only for a fresh report of a provider. Otherwise `reason` explains why there is no fresh
  /// report, and `retryAfter` is the number of seconds until the next request, if known. If no
  /// values are known, the object contains sun and moon, but no `kind`.
  ///
  /// `device` is the receiver that delivered the sensor's sentences. Sensor values next to a
  /// provider's report are in `measured` and are never mixed with it.
  ///
  /// `pressureTendency` is the change in hectopascals over three hours, measured by an instrument
  /// connected to a receiver or by the board's own sensor.
  ///
  /// All ages are increased by `secondsLater`. `hours` is an hourly forecast; the key is omitted if
  /// the forecast is empty.
  package mutating func appendWEATHER(
    _ outlook: WeatherOutlook, secondsLater: Double = 0, hours: [HourWeather] = []
  ) {
    beginObject()
    constant("class", "WEATHER")
    time("time", outlook.time?.later(bySeconds: secondsLater))
    if let place = outlook.place { self.place(place) }
    let best = outlook.resolved.best
    let coordinate =
      best.flatMap { $0.quality == .sensor ? nil : outlook.report?.coordinate }
      ?? outlook.coordinate
    decimal("lat", coordinate.latitudeDegrees, places: 9)
    decimal("lon", coordinate.longitudeDegrees, places: 9)
    if let best {
      string("kind", best.kind.rawValue)
      string("provider", best.provider)
      string("via", best.via)
      if best.isSimulated { boolean("simulated", true) }
      if best.isReplayed { boolean("replayed", true) }
      if best.quality != .sensor { time("issued", outlook.report?.issuedAt) }
      integer("age", Int(min(best.ageSeconds + secondsLater, 1e15)))
      decimal("distance", best.distanceMeters, places: 1)
      boolean("stale", best.quality != .fresh)
      string("device", best.receiver)
      current(best.weather)
      if best.quality != .sensor {
        let probability = outlook.report?.precipitationProbabilityPercent(at: outlook.time)
        decimal("precipitationProbability", probability, places: 2)
        measured(outlook.resolved, secondsLater)
      }
    }
    // Adding zero turns -0 into 0.
    let tendency = outlook.pressureTendencyHectopascals.map { ($0 * 10).rounded() / 10 + 0 }
    decimal("pressureTendency", tendency, places: 1)
    if !hours.isEmpty {
      beginArray("hours")
      for hour in hours { self.hour(hour) }
      endArray()
    }
    appendAlmanacAndDays(outlook)
    string("attribution", best?.attribution)
    if best?.quality != .fresh {
      string("reason", outlook.reason)
      integer(
        "retryAfter", outlook.failure?.retryAfterSeconds.map { Int(min($0.rounded(.up), 1e9)) })
    }
    endObject()
    endLine()
  }

  /// Appends the weather information for clients with reduced accuracy, which may know only the
  /// board's cell.
  ///
  /// Times are rounded down to a multiple of 15 minutes, `age` is rounded up to a multiple of 15
  /// minutes, and `distance` is rounded up to a multiple of 5 km, the size of a cell. Sensor values
  /// and `reason` are omitted, since they depend on the exact position.
  package mutating func appendReducedWEATHER(_ outlook: WeatherOutlook) {
    func rounded(_ value: Double, to step: Double) -> Double { (value / step).rounded(.up) * step }
    beginObject()
    constant("class", "WEATHER")
    time(
      "time",
      outlook.time.map {
        UTCTime(secondsSince1970: $0.secondsSince1970 - ($0.secondsSince1970 % 900 + 900) % 900)
      })
    if let place = outlook.place { self.place(place) }
    decimal("lat", outlook.coordinate.latitudeDegrees, places: 9)
    decimal("lon", outlook.coordinate.longitudeDegrees, places: 9)
    if let best = outlook.resolved.best, best.quality != .sensor {
      string("kind", best.kind.rawValue)
      string("provider", best.provider)
      string("via", best.via)
      if best.isSimulated { boolean("simulated", true) }
      integer("age", Int(min(rounded(best.ageSeconds, to: 900), 1e15)))
      decimal("distance", rounded(best.distanceMeters, to: 5000), places: 1)
      boolean("stale", best.quality != .fresh)
      current(best.weather)
    }
    appendAlmanacAndDays(outlook)
    string("attribution", outlook.resolved.best?.attribution)
    endObject()
    endLine()
  }

  /// Appends the current sensor values and their age to an object with values from a provider.
  private mutating func measured(_ resolved: ResolvedWeather, _ secondsLater: Double) {
    guard let answer = resolved.weather.first(where: { $0.quality == .sensor }),
      answer.ageSeconds + secondsLater <= InstrumentReadings.currentSeconds
    else { return }
    beginObject("measured")
    string("provider", answer.provider)
    if answer.isSimulated { boolean("simulated", true) }
    if answer.isReplayed { boolean("replayed", true) }
    integer("age", Int(min(answer.ageSeconds + secondsLater, 1e15)))
    string("device", answer.receiver)
    current(answer.weather)
    endObject()
  }

  /// Appends sun, moon and days.
  private mutating func appendAlmanacAndDays(_ outlook: WeatherOutlook) {
    if let almanac = outlook.resolved.almanac { sky(almanac) }
    guard !outlook.days.isEmpty else { return }
    beginArray("days")
    for day in outlook.days { self.day(day) }
    endArray()
  }

  private mutating func sky(_ almanac: Almanac) {
    time("sunrise", almanac.day.sunrise)
    time("sunset", almanac.day.sunset)
    string("light", almanac.light.rawValue)
    string("moon", almanac.moon.name.rawValue)
    decimal("moonIllumination", almanac.moon.illuminationPercent, places: 1)
  }
}

extension UTCTime {
  /// Returns this time plus `seconds`, ignoring fractions of a second.
  func later(bySeconds seconds: Double) -> UTCTime {
    UTCTime(secondsSince1970: secondsSince1970 &+ Int64(min(max(seconds, 0), 1e9)))
  }
}

extension JSONLine {
  /// Appends the hourly and daily forecast of a report as a `FORECAST` object.
  ///
  /// - Parameters:
  ///   - report: The report.
  ///   - now: The current time; earlier hours and days are omitted.
  ///   - ageSteps: The step to which the age is rounded up, in seconds; 1 for clients with full
  ///     accuracy.
  package mutating func appendFORECAST(
    _ report: WeatherReport, at now: UTCTime, ageSteps: Int = 1
  ) {
    beginObject()
    constant("class", "FORECAST")
    string("provider", report.provider)
    if report.isSimulated { boolean("simulated", true) }
    time("issued", report.issuedAt)
    let age = report.ageSeconds(at: now).map { Int(min(max($0, 0), 1e15)) }
    integer("age", age.map { ($0 + ageSteps - 1) / ageSteps * ageSteps })
    decimal("lat", report.coordinate.latitudeDegrees, places: 9)
    decimal("lon", report.coordinate.longitudeDegrees, places: 9)
    string("attribution", report.attribution)
    string("licence", report.licence)
    beginArray("hours")
    for hour in report.forecastHours(at: now) { self.hour(hour) }
    endArray()
    beginArray("days")
    for day in report.forecastDays(at: now) { self.day(day, includesSun: true) }
    endArray()
    endObject()
    endLine()
  }
}

extension WeatherReport {
  /// The maximum number of hours of a forecast.
  private static let maxForecastHours = 48
  private static let maxForecastSeconds: Int64 = 172_800

  /// Returns the steps that have not ended, at most 48, and at most those of 48 hours.
  package func forecastHours(at time: UTCTime) -> [HourWeather] {
    let now = time.secondsSince1970
    let current = hours.filter { hour in
      let start = hour.time.secondsSince1970
      return start + Int64(max(hour.durationSeconds, 1)) > now
        && start < now + Self.maxForecastSeconds
    }
    return Array(current.prefix(Self.maxForecastHours))
  }
}
