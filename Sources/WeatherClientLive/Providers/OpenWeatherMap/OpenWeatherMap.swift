// SPDX-License-Identifier: Apache-2.0

internal import Positioning
internal import WeatherClient

/// OpenWeatherMap: the free current weather and forecast (2.5), or One Call (3.0) for whoever has
/// subscribed to it and ends the base URL in `/data/3.0`.
///
/// Its standard units are asked for, kelvin among them: a reply does not say which it is in.
struct OpenWeatherMap: WeatherProvider {
  static let name = "openweathermap"
  static let summary = "OpenWeatherMap: worldwide, wants a key"
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

  /// The weather now and the forecast are two questions, but for One Call.
  var maxRequests: Int { isOneCall ? 1 : 2 }

  private var isOneCall: Bool { baseURL.hasSuffix("/data/3.0") }

  func request(
    for cell: WeatherCell, after replies: [WeatherReply]
  ) throws(WeatherError) -> WeatherRequest? {
    for reply in replies { try Self.check(reply) }
    switch (isOneCall, replies.count) {
    case (true, 0):
      var request = question("/onecall", cell)
      request.parameters.append(.init(name: "exclude", value: "minutely,alerts"))
      return request
    case (false, 0): return question("/weather", cell)
    case (false, 1): return question("/forecast", cell)
    default: return nil
    }
  }

  private func question(_ path: String, _ cell: WeatherCell) -> WeatherRequest {
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

  /// A refusal may come with 200 and its own status inside, as a number or as a text.
  private static func check(_ reply: WeatherReply) throws(WeatherError) {
    struct Status: Decodable { var cod: NumberOrText? }
    guard let code = try? reply.json(Status.self).cod?.integer, code != 200 else { return }
    throw meaning(of: WeatherReply(status: code, body: reply.body))
  }

  func refusal(_ reply: WeatherReply) -> WeatherError { Self.meaning(of: reply) }

  /// 401 is no last word: a new key is refused for the first hours, too.
  private static func meaning(of reply: WeatherReply) -> WeatherError {
    reply.status == 404
      ? .unsupported("weather for this place: \(reply.reason ?? "404")") : reply.standardRefusal
  }
}
