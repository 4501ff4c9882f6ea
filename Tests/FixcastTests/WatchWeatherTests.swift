// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Foundation
import Testing

/// What `fixcast watch` tells of the weather on a board that has a network, and then has none.
@Suite(
  .enabled(if: NetworkNamespace.isPermitted, "network namespaces are not permitted here"),
  .timeLimit(.minutes(1)), .serialized)
struct WatchWeatherTests {
  private static let words = [
    "watch", "--source", "simulated", "--json", "--weather-url", "http://203.0.113.10",
  ]

  private struct Weather: Decodable {
    var `class`: String
    var kind: String?
    var age: Double?
    var stale: Bool?
    var temperature: Double?
    var moon: String?
  }

  private static func weather(_ lines: [String]) -> [Weather] {
    lines.compactMap { try? JSONDecoder().decode(Weather.self, from: Data($0.utf8)) }
      .filter { $0.class == "WEATHER" }
  }

  /// What a watch tells until enough has come.
  private func watch(
    _ lab: CableLab, _ environment: [String: String],
    until isEnough: @escaping @Sendable ([Weather]) -> Bool
  ) async throws -> [Weather] {
    try await lab.use(Self.words, environment: environment) { program in
      let lines = await program.lines.wait { isEnough(Self.weather($0)) }
      program.send(SIGTERM)
      #expect(await program.wait() == 0)
      return Self.weather(lines)
    }
  }

  @Test("in a van: what a provider said is told hours later without a network, with its age")
  func van() async throws {
    let lab = CableLab()
    let folder = try ScratchFolder()
    let environment = ["FIXCAST_STATE_DIRECTORY": folder.path, "FIXCAST_ROOT": folder.path]
    // What a provider computed three hours ago, and has said nothing newer since.
    let server = try HTTPStandIn(in: lab.isp, body: WeatherCommandTests.answer(hoursAhead: -3))
    defer { server.stop() }
    let before = try await watch(lab, environment) { $0.contains { $0.kind == "forecast" } }
    #expect(before.first?.kind == nil && before.first?.moon != nil)
    #expect(server.requests.events.count == 1)

    lab.removeRoute()
    let after = try await watch(lab, environment) { weather in
      weather.contains { $0.kind == "interpolated" }
    }
    let told = try #require(after.first { $0.kind == "interpolated" })
    #expect(told.stale == true && told.moon != nil)
    // Half a degree an hour, and its age from when it came, since this provider does not say more.
    let temperature = try #require(told.temperature)
    #expect(told.age != nil)
    #expect(temperature >= 1.5 && temperature <= 2)
    #expect(!after.contains { $0.kind == "forecast" })

    // Two programs keep to one rule: this one has the store that the watch wrote to.
    lab.addRoute()
    let (lines, code) = try await lab.run(
      ["weather", "51.51,-0.13", "--json", "--weather-url", "http://203.0.113.10"],
      environment: environment)
    #expect(code == 0 && Self.weather(lines).first?.kind == "interpolated")
    #expect(server.requests.events.count == 1)
  }

  @Test("a store that cannot be written to is told of, and the weather comes all the same")
  func unwritable() async throws {
    let lab = CableLab()
    let server = try HTTPStandIn(in: lab.isp, body: WeatherCommandTests.answer())
    defer { server.stop() }
    let lines = try await lab.use(
      Self.words, environment: ["FIXCAST_STATE_DIRECTORY": "/proc/none"]
    ) { program in
      let lines = await program.lines.wait { lines in
        Self.weather(lines).contains { $0.kind == "forecast" }
          && lines.contains { $0.contains(#""source":"weather store""#) }
      }
      program.send(SIGTERM)
      _ = await program.wait()
      return lines
    }
    #expect(lines.contains { $0.contains("kept in memory until the next start") })
  }
}
