// SPDX-License-Identifier: Apache-2.0

internal import Positioning
public import WeatherClient

/// MetaWeather's protocol, for servers that still speak it: the nearest city by coordinate, then
/// its weather by number.
///
/// The public service ended in 2022.
public struct MetaWeather: WeatherProvider {
  /// The name that it is configured and reported by.
  public static let name = "metaweather"
  /// What it is, in a sentence.
  public static let summary = "MetaWeather's protocol: a server of one's own"
  /// Whom its licence wants named.
  public static let attribution = WeatherAttribution(
    text: "Weather data from a MetaWeather server", licence: "the server's own",
    url: "https://www.metaweather.com/about/")
  /// None: the public service has ended.
  public static let publicBaseURL: String? = nil

  /// A search, and the place that it found.
  public let mostRequests = 2

  /// Where it is, by which key it knows who asks, and whom it can turn to.
  public let configuration: WeatherProviderConfiguration

  /// Makes a provider.
  ///
  /// - Parameter configuration: With a base URL.
  /// - Throws: `misconfigured` where there is none: there is no public service.
  public init(_ configuration: WeatherProviderConfiguration) throws(WeatherError) {
    guard configuration.baseURL?.isEmpty == false else {
      throw .misconfigured("\(Self.name) wants a base URL: it has no public service")
    }
    self.configuration = configuration
  }

  /// How long the nearest city stays the nearest: a week.
  private static let searchSeconds: Double = 7 * 86_400
  /// Beyond this, the nearest city has another weather.
  private static let mostDistanceMeters: Double = 100_000

  /// The next question, after these answers.
  public func request(
    for cell: WeatherCell, after replies: [WeatherReply]
  ) throws(WeatherError) -> WeatherRequest? {
    guard let search = replies.first else {
      var request = WeatherRequest(
        path: "/api/location/search/",
        parameters: ["lattlong": "\(cell.latitudeText),\(cell.longitudeText)"])
      request.reuseSeconds = Self.searchSeconds
      return request
    }
    guard replies.count == 1 else { return nil }
    let places = try search.json([MetaWeatherPlace].self)
    guard let place = places.first else { throw .unsupported("weather far from any city") }
    if let there = place.coordinate, let here = cell.coordinate,
      there.distanceMeters(to: here) > Self.mostDistanceMeters
    {
      throw .unsupported("weather far from any city")
    }
    return WeatherRequest(path: "/api/location/\(place.woeid)/")
  }

  /// What the answers say.
  public func decode(
    _ replies: [WeatherReply], for cell: WeatherCell
  ) throws(WeatherError) -> WeatherReport {
    guard replies.count == 2 else { throw .malformed(field: "body", reason: "empty") }
    return try replies[1].json(MetaWeatherReply.self).fill(blankReport(for: cell))
  }
}
