// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Testing
import WeatherClient

@testable import WeatherClientLive

/// TLS failures on a board whose system clock may be wrong.
@Suite(.timeLimit(.minutes(5))) struct ClockWarningTests {
  @Test func `a TLS failure mentions the system clock only if the clock is wrong`() async throws {
    let server = LoopbackServer { _ in .answer("{}") }
    defer { server.stop() }
    try await TLSFront.use(before: server.port) { front in
      let provider = OpenMeteo(WeatherProviderConfiguration(baseURL: front.baseURL))
      for warning in ["the system clock is 6 years behind the receiver", nil] {
        var http = Exchange.http
        http.clockWarning = { warning }
        let service = WeatherService(
          sources: [WeatherService.Source(provider, dailyBudget: 5)], storePath: nil,
          lookup: WeatherLookup(deadline: Exchange.longDeadline, http: http))
        let error = await #expect(throws: WeatherError.self) {
          _ = try await service.weather(at: .at(54, 10))
        }
        guard case .untrusted(let cause, let advice) = error?.cause else {
          Issue.record("\(String(describing: error))")
          return
        }
        #expect(cause.hasPrefix("the certificate is for elsewhere.example, issued by wrong, "))
        #expect(
          advice
            == ["log in with a browser on this network", warning].compactMap { $0 }
            .joined(separator: "; "))
      }
    }
  }
}
