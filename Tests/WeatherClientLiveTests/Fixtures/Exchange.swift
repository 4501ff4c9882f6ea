// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Positioning
import Testing
import WeatherClient

@testable import WeatherClientLive

/// A lookup against a server of the test's own, with what holds for every one checked on the way.
enum Exchange {
  /// Finer than any grid.
  static let place = Coordinate.at(51.507351, -0.127758)

  /// Longer than any of these answers takes, on a machine that is busy with other things.
  static let patience: Duration = .seconds(30)

  static func lookup(
    _ deadline: Duration = patience, clock: any Clock<Duration> = ContinuousClock(),
    certificates: String? = nil
  ) -> WeatherLookup {
    var http = WeatherHTTP()
    http.proxies = ProxyEnvironment { _ in nil }
    http.certificates = certificates
    return WeatherLookup(deadline: deadline, http: http, clock: clock)
  }

  /// How long a lookup here may take, by a clock that stands still but for the test.
  static let deadline: Duration = .seconds(15)

  /// Asks a provider that is a server with a script.
  ///
  /// No time passes: whatever ends by itself does so within its deadline, which comes after so many
  /// requests or not at all.
  static func result(
    of subject: ProviderCase, deadlineAfter requests: Int? = nil,
    _ script: @escaping @Sendable (_ head: String, _ port: UInt16) -> LoopbackServer.Script
  ) async throws -> WeatherLookupResult {
    let server = LoopbackServer(script)
    defer { server.stop() }
    let provider = try subject.provider(server.baseURL)
    let clock = ManualClock()
    async let asked = lookup(deadline, clock: clock).ask(provider, at: place)
    if let requests {
      await clock.waitForSleepers(1)
      await server.heads.wait(for: requests)
      clock.advance(by: deadline)
    }
    let result = await asked
    expectDiscretion(result, server)
    #expect(result.requestCount == server.requests.count)
    return result
  }

  /// Each request says who asks, and the key is told to the provider alone.
  static func expectDiscretion(
    _ result: WeatherLookupResult, _ server: LoopbackServer,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    for request in server.requests {
      #expect(
        request.lowercased().contains("\r\nuser-agent: fixcast/0.1"),
        sourceLocation: sourceLocation)
    }
    #expect(!"\(result)".contains(ProviderCase.key), sourceLocation: sourceLocation)
    #expect(
      !"\(result)".contains(WeatherRequest.escaped(ProviderCase.key)),
      sourceLocation: sourceLocation)
  }

}

extension WeatherLookupResult {
  var error: WeatherError? {
    if case .failure(let error) = outcome { error } else { nil }
  }
}
