// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Positioning
import Testing
import WeatherClient

@testable import WeatherClientLive

/// Tests the lookups of the founding articles with every live client: search, first place, weather
/// by the id of the place.
@Suite("Weather by place id", .timeLimit(.minutes(5)))
struct WeatherByPlaceTests {
  /// The live clients of this module.
  enum LiveClient: CaseIterable {
    case openMeteo
    case service

    func client(of server: LoopbackServer) -> WeatherClient {
      let provider = OpenMeteo(baseURL: server.baseURL)
      return switch self {
      case .openMeteo: .openMeteo(provider, lookup: Exchange.lookup())
      case .service:
        .live(
          WeatherService(
            sources: [WeatherService.Source(provider)], storePath: nil, lookup: Exchange.lookup()))
      }
    }
  }

  @Test(arguments: LiveClient.allCases)
  func `a live client searches for a place and looks up the weather by its id`(
    kind: LiveClient
  ) async throws {
    let server = LoopbackServer { _ in .answer(OpenMeteoTests.good) }
    defer { server.stop() }
    let client = kind.client(of: server)

    let place = try #require(try await client.searchLocations(.at(51.5, -0.12)).first)
    #expect(place.title == "London" && place.id == 2_643_743)
    // The place search sends no request.
    #expect(server.requests.isEmpty)
    let report = try await client.weather(.place(place.id))

    #expect(report.days.count == 2)
    // The request has the coordinate of the place, and not the searched coordinate.
    #expect(report.coordinate == .at(51.51, -0.13))
    #expect(server.requests.count == 1)
  }

  @Test(arguments: LiveClient.allCases, [0, -1, 3, Place.ID.max])
  func `a live client throws unknownPlace for an id that the gazetteer does not have`(
    kind: LiveClient, id: Place.ID
  ) async {
    let server = LoopbackServer { _ in .answer(OpenMeteoTests.good) }
    defer { server.stop() }
    let client = kind.client(of: server)
    await #expect(throws: WeatherError.unknownPlace(id: id)) {
      try await client.weather(.place(id))
    }
    #expect(server.requests.isEmpty)
  }

  @Test func `the error for an unknown place has the id and says what to do`() {
    #expect(
      "\(WeatherError.unknownPlace(id: 3))"
        == "no place with id 3 in the gazetteer; search for the place again")
    #expect(!WeatherError.unknownPlace(id: 3).isTransient)
  }
}
