// SPDX-License-Identifier: Apache-2.0

internal import Positioning
internal import WeatherClient

/// MET Norway's Locationforecast 2.0, which is worldwide and requires a contact, but no key.
///
/// The terms of service require a contact in each request, coordinates with at most four decimals,
/// no request before `Expires`, and `If-Modified-Since` in later requests. Status 403 reports a
/// violation. The address of a client that continues is blocked.
struct METNorway: WeatherProvider {
  static let name = "metnorway"
  static let summary = "MET Norway: worldwide, no key; requires a contact"
  static let attribution = WeatherAttribution(
    text: "Data from MET Norway", licence: "CC BY 4.0 and NLOD 2.0",
    url: "https://api.met.no/doc/License")
  static let publicBaseURL: String? = "https://api.met.no/weatherapi"
  /// `true`, since further requests after a refusal extend the block.
  static let isRefusalPermanent = true
  /// Four, since coordinates with five decimals are refused with 403.
  static let maxGridDecimals = 4

  let configuration: WeatherProviderConfiguration

  init(_ configuration: WeatherProviderConfiguration) throws(WeatherError) {
    guard configuration.contact?.isEmpty == false else {
      throw .misconfigured("\(Self.name) requires a contact")
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
