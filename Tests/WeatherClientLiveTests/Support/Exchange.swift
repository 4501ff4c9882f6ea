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

  static func lookup(_ deadline: Duration = patience) -> WeatherLookup {
    var http = WeatherHTTP()
    http.proxies = ProxyEnvironment { _ in nil }
    return WeatherLookup(deadline: deadline, http: http)
  }

  /// Asks a provider that is a server with a script.
  static func result(
    of subject: ProviderCase, deadline: Duration = patience,
    _ script: @escaping @Sendable (_ head: String, _ port: UInt16) -> LoopbackServer.Script
  ) async throws -> WeatherLookupResult {
    let server = LoopbackServer(script)
    defer { server.stop() }
    let provider = try subject.provider(server.baseURL)
    let begun = ContinuousClock.now
    let result = await lookup(deadline).ask(provider, at: place)
    // Not sharper: the machine may be busy.
    #expect(ContinuousClock.now - begun < deadline + .seconds(20))
    expectDiscretion(result, server)
    if case .timedOut = result.error {
      // The last of them may still be on its way on a machine that is busy.
      #expect(result.requestCount >= server.requests.count)
    } else {
      #expect(result.requestCount == server.requests.count)
    }
    return result
  }

  /// No coordinate finer than the grid has left, each request says who asks, and the key is told
  /// to the provider alone.
  static func expectDiscretion(
    _ result: WeatherLookupResult, _ server: LoopbackServer,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    for request in server.requests {
      expectCoarse(request, sourceLocation: sourceLocation)
      #expect(
        request.lowercased().contains("\r\nuser-agent: fixcast/0.1"),
        sourceLocation: sourceLocation)
    }
    #expect(!"\(result)".contains(ProviderCase.key), sourceLocation: sourceLocation)
    #expect(
      !"\(result)".contains(WeatherRequest.escaped(ProviderCase.key)),
      sourceLocation: sourceLocation)
  }

  static func expectCoarse(_ request: String, sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(!request.contains(#/\.\d{3}/#), sourceLocation: sourceLocation)
    #expect(!request.contains("51.507"), sourceLocation: sourceLocation)
    #expect(!request.contains("0.127"), sourceLocation: sourceLocation)
  }
}

extension WeatherLookupResult {
  var error: WeatherError? {
    if case .failure(let error) = outcome { error } else { nil }
  }
}
