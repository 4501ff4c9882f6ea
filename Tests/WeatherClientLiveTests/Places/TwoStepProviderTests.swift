// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Positioning
import Testing
import WeatherClient

@testable import WeatherClientLive

@Suite("Live client with a provider that has place ids", .timeLimit(.minutes(5)))
struct TwoStepProviderTests {
  @Test func `a lookup at a provider with place ids searches for the id and requests the weather by id`() async throws {
    let server = LoopbackServer { head, _ in
      switch LoopbackServer.target(head) {
      case "/api/location/search/?lattlong=51.51,-0.13":
        .answer(#"[{"title":"London","woeid":44418,"latt_long":"51.506321,-0.12714"}]"#)
      case "/api/location/44418/":
        .answer(#"{"consolidated_weather":[{"the_temp":11.5},{"the_temp":9}]}"#)
      default: .answer(status: "404 Not Found", "{}")
      }
    }
    defer { server.stop() }
    let provider = TwoStepProvider(WeatherProviderConfiguration(baseURL: server.baseURL))
    let service = WeatherService(
      sources: [WeatherService.Source(provider)], storePath: nil, lookup: Exchange.lookup())
    let client = WeatherClient.live(service)

    let place = try #require(try await client.searchLocations(.at(51.5085, -0.1257)).first)
    let report = try await client.weather(.place(place.id))

    #expect(report.now.temperatureDegreesCelsius == 11.5)
    #expect(report.provider == "metaweather")
    #expect(
      server.requests.map { LoopbackServer.target($0) } == [
        "/api/location/search/?lattlong=51.51,-0.13", "/api/location/44418/",
      ])
  }

  @Test func `a lookup throws unsupported if the provider finds no place`() async throws {
    let server = LoopbackServer { _, _ in .answer("[]") }
    defer { server.stop() }
    let provider = TwoStepProvider(WeatherProviderConfiguration(baseURL: server.baseURL))
    let result = await Exchange.lookup().ask(provider, at: Exchange.coordinate)
    #expect(result.error == .unsupported("weather far from any city"))
    #expect(result.requestCount == 1)
  }
}

/// MetaWeather's protocol: a search by coordinate, and a request by the id of the place.
///
/// The public service ended in 2022.
private struct TwoStepProvider: WeatherProvider {
  static let name = "metaweather"
  static let summary = "MetaWeather's protocol"
  static let attribution = WeatherAttribution(text: "", licence: "", url: "")
  static let publicBaseURL: String? = nil
  let maxRequests = 2
  let configuration: WeatherProviderConfiguration

  private struct SearchResult: Decodable {
    var woeid: Int64
  }

  private struct Days: Decodable {
    struct Day: Decodable {
      var temperature: Double?
      enum CodingKeys: String, CodingKey { case temperature = "the_temp" }
    }
    var days: [Day]
    enum CodingKeys: String, CodingKey { case days = "consolidated_weather" }
  }

  init(_ configuration: WeatherProviderConfiguration) { self.configuration = configuration }

  func request(
    for cell: WeatherCell, after replies: [WeatherReply]
  ) throws(WeatherError) -> WeatherRequest? {
    switch replies.count {
    case 0:
      return WeatherRequest(
        path: "/api/location/search/",
        parameters: ["lattlong": "\(cell.latitudeText),\(cell.longitudeText)"])
    case 1:
      guard let place = try replies[0].json([SearchResult].self).first else {
        throw .unsupported("weather far from any city")
      }
      return WeatherRequest(path: "/api/location/\(place.woeid)/")
    default: return nil
    }
  }

  func decode(
    _ replies: [WeatherReply], for cell: WeatherCell
  ) throws(WeatherError) -> WeatherReport {
    guard replies.count == 2 else { throw .malformed(field: "body", reason: "empty") }
    var report = try blankReport(for: cell)
    report.now.temperatureDegreesCelsius = try replies[1].json(Days.self).days.first?.temperature
    return report
  }
}
