// SPDX-License-Identifier: Apache-2.0

internal import Positioning
internal import WeatherClient

/// Pirate Weather, and self-hosted servers with Dark Sky's protocol.
struct PirateWeather: WeatherProvider {
  static let name = "pirateweather"
  static let summary = "Pirate Weather: worldwide, requires a key; Dark Sky's protocol"
  static let attribution = WeatherAttribution(
    text: "Powered by Pirate Weather", licence: "Pirate Weather's terms of service",
    url: "https://pirateweather.net/en/latest/")
  static let publicBaseURL: String? = "https://api.pirateweather.net"

  let configuration: WeatherProviderConfiguration
  private let key: String

  init(_ configuration: WeatherProviderConfiguration) throws(WeatherError) {
    key = try Self.key(of: configuration)
    self.configuration = configuration
  }

  func request(
    for cell: WeatherCell, after replies: [WeatherReply]
  ) throws(WeatherError) -> WeatherRequest? {
    guard replies.isEmpty else { return nil }
    return WeatherRequest(
      path: "/forecast/\(WeatherRequest.escaped(key))/\(cell.latitudeText),\(cell.longitudeText)",
      parameters: ["units": "si", "exclude": "minutely,alerts"])
  }

  func decode(
    _ replies: [WeatherReply], for cell: WeatherCell
  ) throws(WeatherError) -> WeatherReport {
    guard let reply = replies.first else { throw .malformed(field: "body", reason: "empty") }
    let form = try reply.json(DarkSkyReply.self)
    return try form.fill(blankReport(for: cell))
  }

  func refusal(_ reply: WeatherReply) -> WeatherError {
    switch reply.status {
    case 401, 403: .refused(reason: reply.reason ?? "\(reply.status)")
    default: reply.standardRefusal
    }
  }
}
