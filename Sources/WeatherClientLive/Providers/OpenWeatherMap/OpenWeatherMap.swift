// SPDX-License-Identifier: Apache-2.0

internal import Positioning
internal import WeatherClient

/// OpenWeatherMap, with the free API 2.5 or, for subscribers, One Call 3.0.
///
/// A base URL that ends in `/data/3.0` selects One Call.
///
/// Requests always use `units=standard` (kelvin), since replies do not contain their units.
struct OpenWeatherMap: WeatherProvider {
  static let name = "openweathermap"
  static let summary = "OpenWeatherMap: worldwide, requires a key"
  static let attribution = WeatherAttribution(
    text: "Weather data provided by OpenWeather", licence: "CC BY-SA 4.0",
    url: "https://openweathermap.org/full-price")
  static let publicBaseURL: String? = "https://api.openweathermap.org/data/2.5"

  let configuration: WeatherProviderConfiguration
  private let key: String

  init(_ configuration: WeatherProviderConfiguration) throws(WeatherError) {
    key = try Self.key(of: configuration)
    self.configuration = configuration
  }

  /// One for One Call; otherwise two, for the current weather and the forecast.
  var maxRequests: Int { isOneCall ? 1 : 2 }

  private var isOneCall: Bool { baseURL.hasSuffix("/data/3.0") }

  func request(
    for cell: WeatherCell, after replies: [WeatherReply]
  ) throws(WeatherError) -> WeatherRequest? {
    for reply in replies { try Self.check(reply) }
    switch (isOneCall, replies.count) {
    case (true, 0):
      var request = weatherRequest("/onecall", cell)
      request.parameters.append(.init(name: "exclude", value: "minutely,alerts"))
      return request
    case (false, 0): return weatherRequest("/weather", cell)
    case (false, 1): return weatherRequest("/forecast", cell)
    default: return nil
    }
  }

  private func weatherRequest(_ path: String, _ cell: WeatherCell) -> WeatherRequest {
    WeatherRequest(
      path: path,
      parameters: [
        "lat": cell.latitudeText, "lon": cell.longitudeText, "units": "standard", "appid": key,
      ])
  }

  func decode(
    _ replies: [WeatherReply], for cell: WeatherCell
  ) throws(WeatherError) -> WeatherReport {
    guard let first = replies.first else { throw .malformed(field: "body", reason: "empty") }
    let blank = try blankReport(for: cell)
    if isOneCall { return try first.json(OneCallReply.self).fill(blank) }
    var report = try first.json(OpenWeatherMoment.self).fill(blank)
    if replies.count > 1 {
      let sun = try first.json(OpenWeatherMoment.self).sys
      report = try replies[1].json(OpenWeatherForecast.self).fill(report, sun: sun)
    }
    return report
  }

  /// Throws an error if the status in the body is not 200, even if the HTTP status is 200.
  ///
  /// The status in the body may be a number or a string.
  private static func check(_ reply: WeatherReply) throws(WeatherError) {
    struct Status: Decodable { var cod: NumberOrText? }
    guard let code = try? reply.json(Status.self).cod?.integer, code != 200 else { return }
    throw error(for: WeatherReply(status: code, body: reply.body))
  }

  func refusal(_ reply: WeatherReply) -> WeatherError { Self.error(for: reply) }

  /// Returns the error for a reply.
  ///
  /// Status 401 is not treated as a refusal: a new key is accepted only hours after its creation.
  private static func error(for reply: WeatherReply) -> WeatherError {
    reply.status == 404
      ? .unsupported("weather for this place: \(reply.reason ?? "404")") : reply.standardRefusal
  }
}
