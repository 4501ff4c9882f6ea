// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Positioning
import Testing
import WeatherClient

@testable import WeatherClientLive

/// Runs lookups against a scripted server, and checks every request.
enum Exchange {
  /// A coordinate with more decimals than any grid.
  static let coordinate = Coordinate.at(51.507351, -0.127758)

  /// A deadline that no lookup exceeds, even on a busy machine.
  static let longDeadline: Duration = .seconds(3600)

  /// A client without proxies, whose time limits no busy machine exceeds.
  static var http: WeatherHTTP {
    var http = WeatherHTTP()
    http.proxies = ProxyEnvironment { _ in nil }
    http.timeouts = WeatherHTTP.Timeouts(
      connect: longDeadline, read: longDeadline, certificate: longDeadline)
    return http
  }

  static func lookup(
    _ deadline: Duration = longDeadline, clock: any Clock<Duration> = ContinuousClock(),
    certificates: String? = nil
  ) -> WeatherLookup {
    var http = http
    http.certificates = certificates
    return WeatherLookup(deadline: deadline, http: http, clock: clock)
  }

  /// The deadline of lookups with a manual clock.
  static let deadline: Duration = .seconds(15)

  /// Runs a lookup at a scripted server with a manual clock.
  ///
  /// The deadline passes after `requests` requests, or never if `requests` is `nil`.
  static func result(
    of subject: ProviderCase, deadlineAfter requests: Int? = nil,
    _ script: @escaping @Sendable (_ head: String, _ port: UInt16) -> LoopbackServer.Script
  ) async throws -> WeatherLookupResult {
    let server = LoopbackServer(script)
    defer { server.stop() }
    let provider = try subject.provider(server.baseURL)
    let clock = ManualClock()
    async let outcome = lookup(deadline, clock: clock).ask(provider, at: coordinate)
    if let requests {
      await clock.waitForSleepers(1)
      await server.heads.wait(for: requests)
      clock.advance(by: deadline)
    }
    let result = await outcome
    expectUserAgentWithoutKey(result, server)
    #expect(result.requestCount == server.requests.count)
    return result
  }

  /// Checks that each request has a `User-Agent`, and that the result does not contain the key.
  static func expectUserAgentWithoutKey(
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
