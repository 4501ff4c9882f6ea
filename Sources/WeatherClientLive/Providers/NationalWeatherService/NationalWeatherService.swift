// SPDX-License-Identifier: Apache-2.0

internal import Positioning
internal import SystemSupport
internal import WeatherClient

/// The National Weather Service of the United States.
///
/// A lookup requests the grid cell of a point, which is cached for a week, and the forecast of that
/// cell. If the hourly forecast fails or is empty, the lookup requests the raw grid data instead. A
/// recent observation of a station nearby is used as the current weather.
struct NationalWeatherService: WeatherProvider {
  static let name = "nws"
  static let summary = "National Weather Service: United States, no key"
  static let attribution = WeatherAttribution(
    text: "Data from the National Weather Service", licence: "domain",
    url: "https://www.weather.gov/disclaimer")
  static let publicBaseURL: String? = "https://api.weather.gov"
  /// Four, since requests with more decimals are redirected.
  static let maxGridDecimals = 4

  /// Five: for point, hours, days, stations and observation.
  let maxRequests = 5

  let configuration: WeatherProviderConfiguration

  init(_ configuration: WeatherProviderConfiguration) {
    self.configuration = configuration
  }

  /// The time in seconds for which points and stations are cached: a week.
  private static let pointSeconds: Double = 7 * 86_400

  func request(
    for cell: WeatherCell, after replies: [WeatherReply]
  ) throws(WeatherError) -> WeatherRequest? {
    guard let point = replies.first else {
      var request = WeatherRequest(path: "/points/\(cell.latitudeText),\(cell.longitudeText)")
      request.reuseSeconds = Self.pointSeconds
      return request
    }
    let grid = try point.json(NWSPointReply.self).gridPath()
    // After status 429, send no further requests in this lookup.
    let isRateLimited = replies.last?.status == 429
    if isRateLimited, replies.count < 3, let last = replies.last { throw refusal(last) }
    switch replies.count {
    case 1: return Self.optionalRequest("\(grid)/forecast/hourly", inMetricUnits: true)
    case 2 where Self.hourlyForecast(replies[1]) != nil:
      return Self.optionalRequest("\(grid)/forecast", inMetricUnits: true)
    case 2: return WeatherRequest(path: grid)
    case 3 where !isRateLimited:
      var request = Self.optionalRequest("\(grid)/stations")
      request.reuseSeconds = Self.pointSeconds
      return request
    case 4 where !isRateLimited:
      let stations = replies[3].isSuccess ? try? replies[3].json(NWSStationsReply.self) : nil
      return stations?.observationPath(near: cell.coordinate).map { Self.optionalRequest($0) }
    default: return nil
    }
  }

  private static func optionalRequest(
    _ path: String, inMetricUnits: Bool = false
  ) -> WeatherRequest {
    var request = WeatherRequest(path: path, parameters: inMetricUnits ? ["units": "si"] : [:])
    request.isOptional = true
    return request
  }

  /// Decodes the hourly forecast, or returns `nil` if the request failed or the forecast has no
  /// values.
  private static func hourlyForecast(_ reply: WeatherReply) -> NWSForecastReply? {
    guard reply.isSuccess, let form = try? reply.json(NWSForecastReply.self), form.hasValues else {
      return nil
    }
    return form
  }

  func decode(
    _ replies: [WeatherReply], for cell: WeatherCell
  ) throws(WeatherError) -> WeatherReport {
    guard replies.count >= 3 else { throw .malformed(field: "body", reason: "empty") }
    var report = try forecast(replies, blankReport(for: cell))
    if replies.count == 5, replies[4].isSuccess, let now = replies[4].serverTime ?? report.validAt,
      let observation = try? replies[4].json(NWSObservationReply.self).observation(at: now)
    {
      report.now = observation.weather
      report.validAt = observation.time
      report.kind = .observed
    }
    return report
  }

  private func forecast(
    _ replies: [WeatherReply], _ blank: WeatherReport
  ) throws(WeatherError) -> WeatherReport {
    let zone = PlaceZone(name: try replies[0].json(NWSPointReply.self).properties.timeZone)
      .zone(at: blank.coordinate, replies[1].serverTime)
    guard let hourly = Self.hourlyForecast(replies[1]) else {
      var report = try replies[2].json(NWSGridReply.self).fill(blank, at: replies[2].serverTime)
      report.setDays(in: zone)
      return report
    }
    var report = try hourly.fillHours(blank, at: replies[1].serverTime)
    var days =
      replies[2].isSuccess ? (try? replies[2].json(NWSForecastReply.self).days()) ?? [] : []
    // The night that begins today usually has its lowest temperature tomorrow.
    if let first = report.hours.first,
      let today = days.firstIndex(where: { $0.date == zone.local(first.time).date })
    {
      days[today].lowestTemperatureDegreesCelsius = nil
    }
    report.setDays(days, in: zone)
    return report
  }

  func refusal(_ reply: WeatherReply) -> WeatherError {
    guard reply.status == 404 else { return reply.standardRefusal }
    // The provider refuses points outside the United States, and some points at sea.
    guard let reason = reply.reason else { return .unsupported("a forecast for this point") }
    return .unsupported("a forecast for this point: \(reason)")
  }
}
