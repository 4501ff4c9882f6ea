// SPDX-License-Identifier: Apache-2.0

internal import LocationServices
package import PathMonitorClient
package import Pipeline
package import Positioning
internal import WeatherClient
internal import WeatherFeature

/// The JSON objects of Fixcast's JSON lines, including objects that gpsd does not define.
extension JSONLine {
  /// Appends an event as one or more lines; appends nothing for unknown event types.
  mutating func append(_ event: any PipelineEvent, now: MonotonicTime?, utcNow: UTCTime?) {
    switch event {
    case let event as LocationEvent: appendTPV(Fix(event.location), now: now)
    case let event as NoFixEvent: appendTPV(event.fix, now: now)
    case let event as SkyEvent: appendSKY(event.sky, device: event.device)
    case let event as EnrichedEvent: appendWEATHER(event.value, now: utcNow)
    case let event as OutlookEvent: appendWEATHER(event.outlook)
    case let event as PathEvent: appendPATH(event.path)
    case let event as GateEvent: appendGATE(event)
    case let event as AuthorizationEvent: appendAUTH(event.authorization)
    case let event as ErrorEvent: appendERROR(event)
    case SourceEvent.receiver(let receiver) as SourceEvent: appendDEVICE(receiver, now: utcNow)
    case SourceEvent.message(let message, let source) as SourceEvent:
      appendMESSAGE(message, device: source)
    case let event as SourceEvent: if let error = event.error { appendERROR(error) }
    default: break
    }
  }

  package mutating func appendPATH(_ path: NetworkPath) {
    beginObject()
    constant("class", "PATH")
    string("status", path.status.rawValue)
    string("reason", path.reason?.rawValue)
    string("message", path.cause)
    beginArray("interfaces")
    for interface in path.interfaces { element(interface.name) }
    endArray()
    boolean("expensive", path.isExpensive)
    boolean("constrained", path.isConstrained)
    string("verified", path.verified?.rawValue)
    if path.isScripted { boolean("scripted", true) }
    endObject()
    endLine()
  }

  package mutating func appendGATE(_ event: GateEvent) {
    beginObject()
    constant("class", "GATE")
    string("gate", event.gate)
    switch event.verdict {
    case .passes: constant("verdict", "passed")
    case .holds(let reason):
      constant("verdict", "held")
      string("reason", reason)
    }
    integer("held", event.heldCount)
    endObject()
    endLine()
  }

  mutating func appendAUTH(_ authorization: Authorization) {
    beginObject()
    constant("class", "AUTH")
    string("status", "\(authorization.status)")
    constant("accuracy", authorization.accuracy == .fullAccuracy ? "full" : "reduced")
    endObject()
    endLine()
  }

  package mutating func appendDEVICE(_ receiver: ReceiverInfo, now: UTCTime?) {
    beginObject()
    constant("class", "DEVICE")
    string("path", receiver.name)
    string("driver", receiver.driver)
    // gpsd uses 0 for a receiver that is known but not active.
    if receiver.isActive { time("activated", now) } else { integer("activated", 0) }
    string("model", receiver.model)
    integer("bps", receiver.baud)
    endObject()
    endLine()
  }

  /// Appends a `MESSAGE` object of a receiver.
  package mutating func appendMESSAGE(_ message: ReceiverMessage, device: String) {
    beginObject()
    constant("class", "MESSAGE")
    string("device", device)
    string("kind", message.kind.rawValue)
    string("antenna", message.antenna?.rawValue)
    string("text", message.antenna == nil ? message.text : nil)
    string("message", "\(message)")
    string("advice", message.advice)
    if message.isRepeated { boolean("repeated", true) }
    endObject()
    endLine()
  }

  /// Appends an `ERROR` object.
  ///
  /// - Parameters:
  ///   - event: The error.
  ///   - identifier: A machine-readable identifier of the kind of error; `nil` to omit it.
  package mutating func appendERROR(_ event: ErrorEvent, _ identifier: String? = nil) {
    beginObject()
    constant("class", "ERROR")
    string("error", identifier)
    string("message", event.message)
    string("source", event.source)
    endObject()
    endLine()
  }

  /// Appends a provider's report, with ages as of `secondsLater` after `now`.
  package mutating func appendWEATHER(
    _ value: EnrichedLocation, now: UTCTime?, secondsLater: Double = 0
  ) {
    guard let report = value.enrichment(of: WeatherEnrichment.self)?.report else { return }
    beginObject()
    constant("class", "WEATHER")
    // The time of the output; in a replay without real time, the time of the location.
    time("time", now.map { $0.later(bySeconds: secondsLater) } ?? value.location.time)
    if let place = value.enrichment(of: PlaceEnrichment.self)?.place { self.place(place) }
    decimal("lat", report.coordinate.latitudeDegrees, places: 9)
    decimal("lon", report.coordinate.longitudeDegrees, places: 9)
    string("kind", report.kind.rawValue)
    string("provider", report.provider)
    string("via", report.via)
    if report.isSimulated { boolean("simulated", true) }
    time("issued", report.issuedAt)
    integer("age", report.ageSeconds(at: now).map { Int($0 + secondsLater) })
    decimal(
      "distance", report.coordinate.distanceMeters(to: value.location.coordinate), places: 1)
    // A report from the weather stage is new or still valid.
    boolean("stale", false)
    current(report.now)
    decimal(
      "precipitationProbability",
      report.precipitationProbabilityPercent(at: now ?? value.location.time), places: 2)
    let days = (now ?? value.location.time).map { report.forecastDays(at: $0) } ?? report.days
    time("sunrise", days.first?.sunrise)
    time("sunset", days.first?.sunset)
    if !days.isEmpty {
      beginArray("days")
      for day in days { self.day(day) }
      endArray()
    }
    string("attribution", report.attribution)
    endObject()
    endLine()
  }

  mutating func place(_ place: Place) {
    beginObject("place")
    integer("id", place.id)
    string("title", place.title)
    string("country", place.countryCode)
    decimal("distance", place.distanceMeters, places: 1)
    decimal("bearing", place.bearingDegreesTrue, places: 1)
    endObject()
  }

  mutating func current(_ now: CurrentWeather) {
    decimal("temperature", now.temperatureDegreesCelsius, places: 2)
    decimal("apparentTemperature", now.apparentTemperatureDegreesCelsius, places: 2)
    decimal("dewPoint", now.dewPointDegreesCelsius, places: 2)
    decimal("humidity", now.humidityPercent, places: 2)
    decimal("pressure", now.pressureSeaLevelHectopascals, places: 2)
    decimal("windSpeed", now.windSpeedMetersPerSecond, places: 2)
    decimal("windGust", now.windGustMetersPerSecond, places: 2)
    decimal("windDirection", now.windDirectionDegreesTrue, places: 2)
    decimal("waterTemperature", now.waterTemperatureDegreesCelsius, places: 2)
    decimal("precipitation", now.precipitationMillimeters, places: 2)
    decimal("visibility", now.visibilityMeters, places: 2)
    decimal("cloudCover", now.cloudCoverPercent, places: 2)
    string("condition", now.condition?.name)
  }

  mutating func day(_ day: DayWeather, includesSun: Bool = false) {
    beginObject()
    date("date", day.date)
    decimal("min", day.lowestTemperatureDegreesCelsius, places: 2)
    decimal("max", day.highestTemperatureDegreesCelsius, places: 2)
    string("condition", day.condition?.name)
    decimal("precipitation", day.precipitationMillimeters, places: 2)
    decimal("precipitationProbability", day.precipitationProbabilityPercent, places: 2)
    decimal("maxWindSpeed", day.highestWindSpeedMetersPerSecond, places: 2)
    if includesSun {
      time("sunrise", day.sunrise)
      time("sunset", day.sunset)
    }
    endObject()
  }

  mutating func hour(_ hour: HourWeather) {
    beginObject()
    time("time", hour.time)
    integer("duration", hour.durationSeconds)
    current(hour.weather)
    decimal("precipitationProbability", hour.precipitationProbabilityPercent, places: 2)
    endObject()
  }
}
