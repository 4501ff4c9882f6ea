// SPDX-License-Identifier: Apache-2.0

internal import Positioning
public import WeatherClient

/// Dark Sky's protocol, as Pirate Weather and servers of one's own still speak it.
public struct PirateWeather: WeatherProvider {
  /// The name that it is configured and reported by.
  public static let name = "pirateweather"
  /// What it is, in a sentence.
  public static let summary = "Pirate Weather: worldwide, wants a key; Dark Sky's protocol"
  /// Whom its licence wants named.
  public static let attribution = WeatherAttribution(
    text: "Powered by Pirate Weather", licence: "Pirate Weather's terms of service",
    url: "https://pirateweather.net/en/latest/")
  /// Where the public service is.
  public static let publicBaseURL: String? = "https://api.pirateweather.net"

  /// Where it is, by which key it knows who asks, and whom it can turn to.
  public let configuration: WeatherProviderConfiguration
  private let key: String

  /// Makes a provider.
  ///
  /// - Parameter configuration: With a key.
  /// - Throws: `misconfigured` where there is none.
  public init(_ configuration: WeatherProviderConfiguration) throws(WeatherError) {
    guard let key = configuration.key, !key.isEmpty else {
      throw .misconfigured("\(Self.name) wants a key")
    }
    self.key = key
    self.configuration = configuration
  }

  /// The next question, after these answers.
  public func request(
    for cell: WeatherCell, after replies: [WeatherReply]
  ) throws(WeatherError) -> WeatherRequest? {
    guard replies.isEmpty else { return nil }
    return WeatherRequest(
      path: "/forecast/\(WeatherRequest.escaped(key))/\(cell.latitudeText),\(cell.longitudeText)",
      parameters: ["units": "si", "exclude": "minutely,alerts"])
  }

  /// What the answers say.
  public func decode(
    _ replies: [WeatherReply], for cell: WeatherCell
  ) throws(WeatherError) -> WeatherReport {
    guard let reply = replies.first else { throw .malformed(field: "body", reason: "empty") }
    let form = try reply.json(DarkSkyReply.self)
    return try form.fill(blankReport(for: cell))
  }

  /// What an answer that is not success means here.
  public func refusal(_ reply: WeatherReply) -> WeatherError {
    switch reply.status {
    case 401, 403: .refused(reason: reply.reason ?? "\(reply.status)")
    default: reply.standardRefusal
    }
  }
}
