// SPDX-License-Identifier: Apache-2.0

import Testing
import WeatherClient

@testable import WeatherClientLive

/// A provider with valid replies, for tests that run with every provider.
struct ProviderCase: Sendable, CustomTestStringConvertible {
  let type: any WeatherProvider.Type
  /// The replies, each with a prefix of the request's path.
  ///
  /// The longest matching prefix is used.
  let answers: [(path: String, body: String)]

  var testDescription: String { type.name }

  /// The API key of the configuration.
  ///
  /// Results must not contain the key.
  static let key = "k3y/with?signs"

  func provider(_ baseURL: String, contact: String? = "me@example.org") throws(WeatherError)
    -> any WeatherProvider
  {
    try type.init(
      WeatherProviderConfiguration(baseURL: baseURL, key: Self.key, contact: contact))
  }

  func body(for target: String) -> String? {
    answers.filter { target.hasPrefix($0.path) }.max { $0.path.count < $1.path.count }?.body
  }

  /// Returns the response to a request, or 404 for an unknown path.
  func script(_ head: String) -> LoopbackServer.Script {
    body(for: LoopbackServer.target(head)).map { .answer($0) }
      ?? .answer(status: "404 Not Found", "{}")
  }

  /// Whether a request is the first of a lookup.
  func isFirst(_ head: String) -> Bool {
    LoopbackServer.target(head).hasPrefix(answers[0].path)
  }

  static let all: [ProviderCase] = [
    ProviderCase(type: OpenMeteo.self, answers: [("/v1/forecast", OpenMeteoTests.good)]),
    ProviderCase(
      type: METNorway.self, answers: [("/locationforecast/2.0/compact", Fixture.metNorway)]),
    ProviderCase(
      type: NationalWeatherService.self,
      answers: [
        ("/points/", Fixture.nwsPoint), ("/gridpoints/TAE/58,65", Fixture.nwsGrid),
        ("/gridpoints/TAE/58,65/forecast", Fixture.nwsForecast),
        ("/gridpoints/TAE/58,65/forecast/hourly", Fixture.nwsHourly),
        ("/gridpoints/TAE/58,65/stations", Fixture.nwsStations),
        ("/stations/EGLC/observations/latest", Fixture.nwsObservation),
      ]),
    ProviderCase(
      type: PirateWeather.self,
      answers: [("/forecast/k3y%2Fwith%3Fsigns/", Fixture.pirateWeather)]),
    ProviderCase(
      type: OpenWeatherMap.self,
      answers: [("/weather", Fixture.openWeather), ("/forecast", Fixture.openWeatherForecast)]),
  ]
}
