// SPDX-License-Identifier: Apache-2.0

internal import Positioning
internal import WeatherClient

/// MET Norway's Locationforecast 2.0: worldwide, without a key; requires a contact.
///
/// Its terms of service: a contact with each request, four decimals at most, no request before
/// `Expires` is over, and after that one with `If-Modified-Since`. 403 means that they were not
/// kept; asking on gets a board's address blocked.
struct METNorway: WeatherProvider {
  static let name = "metnorway"
  static let summary = "MET Norway: worldwide, no key; wants a contact"
  static let attribution = WeatherAttribution(
    text: "Data from MET Norway", licence: "CC BY 4.0 and NLOD 2.0",
    url: "https://api.met.no/doc/License")
  static let publicBaseURL: String? = "https://api.met.no/weatherapi"
  /// Whoever goes on asking after a refusal is blocked for longer.
  static let refusesForGood = true
  /// Five decimals are answered with 403.
  static let maxGridDecimals = 4

  let configuration: WeatherProviderConfiguration

  init(_ configuration: WeatherProviderConfiguration) throws(WeatherError) {
    guard configuration.contact?.isEmpty == false else {
      throw .misconfigured("\(Self.name) wants a contact with each request")
    }
    self.configuration = configuration
  }

  func request(
    for cell: WeatherCell, after replies: [WeatherReply]
  ) throws(WeatherError) -> WeatherRequest? {
    guard replies.isEmpty else { return nil }
    var request = WeatherRequest(
      path: "/locationforecast/2.0/compact",
      parameters: ["lat": cell.latitudeText, "lon": cell.longitudeText])
    request.isConditional = true
    return request
  }

  func decode(
    _ replies: [WeatherReply], for cell: WeatherCell
  ) throws(WeatherError) -> WeatherReport {
    guard let reply = replies.first else { throw .malformed(field: "body", reason: "empty") }
    let form = try reply.json(METNorwayReply.self)
    return try form.fill(blankReport(for: cell), at: reply.serverTime)
  }

  func refusal(_ reply: WeatherReply) -> WeatherError {
    switch reply.status {
    case 403: .refused(reason: reply.reason ?? "403")
    case 422: .unsupported("a forecast for this place")
    default: reply.standardRefusal
    }
  }
}
