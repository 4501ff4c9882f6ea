// SPDX-License-Identifier: Apache-2.0

internal import Positioning
public import WeatherClient

/// MET Norway's Locationforecast 2.0: worldwide, without a key, for whoever says who asks.
///
/// Its terms of service: a contact with each request, four decimals at most, no request before
/// `Expires` is over, and after that one with `If-Modified-Since`. 403 means that they were not
/// kept; asking on gets a board's address blocked.
public struct METNorway: WeatherProvider {
  /// The name that it is configured and reported by.
  public static let name = "metnorway"
  /// What it is, in a sentence.
  public static let summary = "MET Norway: worldwide, no key; wants a contact"
  /// Whom its licence wants named.
  public static let attribution = WeatherAttribution(
    text: "Data from MET Norway", licence: "CC BY 4.0 and NLOD 2.0",
    url: "https://api.met.no/doc/License")
  /// Where the public service is.
  public static let publicBaseURL: String? = "https://api.met.no/weatherapi"
  /// Whoever goes on asking after a refusal is blocked for longer.
  public static let refusesForGood = true
  /// Five decimals are answered with 403.
  public static let mostGridDecimals = 4

  /// Where it is, by which key it knows who asks, and whom it can turn to.
  public let configuration: WeatherProviderConfiguration

  /// Makes a provider.
  ///
  /// - Parameter configuration: With a contact; a base URL for a caching proxy of one's own.
  /// - Throws: `misconfigured` where there is no contact.
  public init(_ configuration: WeatherProviderConfiguration) throws(WeatherError) {
    guard configuration.contact?.isEmpty == false else {
      throw .misconfigured("\(Self.name) wants a contact with each request")
    }
    self.configuration = configuration
  }

  /// The next question, after these answers.
  public func request(
    for cell: WeatherCell, after replies: [WeatherReply]
  ) throws(WeatherError) -> WeatherRequest? {
    guard replies.isEmpty else { return nil }
    var request = WeatherRequest(
      path: "/locationforecast/2.0/compact",
      parameters: ["lat": cell.latitudeText, "lon": cell.longitudeText])
    request.isConditional = true
    return request
  }

  /// What the answers say.
  public func decode(
    _ replies: [WeatherReply], for cell: WeatherCell
  ) throws(WeatherError) -> WeatherReport {
    guard let reply = replies.first else { throw .malformed(field: "body", reason: "empty") }
    let form = try reply.json(METNorwayReply.self)
    return try form.fill(blankReport(for: cell), at: reply.serverTime)
  }

  /// What an answer that is not success means here.
  public func refusal(_ reply: WeatherReply) -> WeatherError {
    switch reply.status {
    case 403: .refused(reason: reply.reason ?? "403")
    case 422: .unsupported("a forecast for this place")
    default: reply.standardRefusal
    }
  }
}
