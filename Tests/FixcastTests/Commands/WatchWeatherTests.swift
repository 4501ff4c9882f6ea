// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Foundation
import Testing

/// The weather in `fixcast watch` before, during and after a network outage.
@Suite(.needsNetworkNamespaces, .timeLimit(.minutes(5)))
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
    var reason: String?
  }

  private static func weather(_ lines: [String]) -> [Weather] {
    lines.compactMap { try? JSONDecoder().decode(Weather.self, from: Data($0.utf8)) }
      .filter { $0.class == "WEATHER" }
  }

  /// Runs a watch until its weather satisfies the condition.
  private func watch(
    _ board: WeatherFixture, hoursAhead: Int = 0,
    until isEnough: @escaping @Sendable ([Weather]) -> Bool
  ) async throws -> [Weather] {
    try await board.network.use(Self.words, environment: board.environment, hoursAhead: hoursAhead) { program in
      let lines = await program.lines.wait { isEnough(Self.weather($0)) }
      program.send(SIGTERM)
      #expect(await program.wait() == 0)
      return Self.weather(lines)
    }
  }

  @Test func `without a network, watch prints the stored forecast hours later, with its age`() async throws {
    let board = try WeatherFixture()
    board.environment["FIXCAST_ROOT"] = board.folder.path
    // The values of the report begin three hours ago.
    let server = try board.serve(WeatherCommandTests.reply(hoursAhead: -3))
    let before = try await watch(board) { $0.contains { $0.kind == "forecast" } }
    #expect(before.first?.kind == nil && before.first?.moon != nil)
    #expect(server.requests.events.count == 1)

    board.network.removeRoute()
    let after = try await watch(board) { weather in
      weather.contains { $0.kind == "interpolated" }
    }
    let stored = try #require(after.first { $0.kind == "interpolated" })
    #expect(stored.stale == true && stored.moon != nil)
    // The temperature rises by half a degree per hour. The age is computed from the arrival of the
    // report, since this provider sends no issue time.
    let temperature = try #require(stored.temperature)
    #expect(stored.age != nil)
    // A new hour may have begun since the reply was created.
    #expect(temperature >= 1.5 && temperature <= 2.1)
    #expect(!after.contains { $0.kind == "forecast" })

    // Two programs share one store: this command uses the report that the watch has stored.
    board.network.addRoute()
    let (lines, code) = try await board.run(
      ["weather", "51.511234,-0.131357", "--json", "--weather-url", "http://203.0.113.10"])
    #expect(code == 0 && Self.weather(lines).first?.kind == "interpolated")
    #expect(server.requests.events.count == 1)
  }

  @Test func `without a network, watch prints the stored forecast again with a higher age`() async throws {
    let board = try WeatherFixture()
    board.environment["FIXCAST_ROOT"] = board.folder.path
    try board.serve(WeatherCommandTests.reply(hoursAhead: -3))
    _ = try await watch(board) { $0.contains { $0.kind == "forecast" } }
    board.network.removeRoute()
    // The age increases after a minute. The clock is not shifted, because libfaketime keeps a
    // processor busy with expired timers.
    let weather = try await watch(board) { weather in
      let ages = weather.compactMap(\.age)
      return ages.last ?? 0 > ages.first ?? 0
    }
    let stored = try #require(weather.last)
    #expect(stored.kind == "interpolated" && stored.stale == true)
    let temperature = try #require(stored.temperature)
    #expect(temperature >= 1.5 && temperature <= 2.1)
  }

  @Test func `without a network, watch prints a stored forecast after a day but not after three days`() async throws {
    let board = try WeatherFixture()
    board.environment["FIXCAST_ROOT"] = board.folder.path
    let server = try board.serve()
    _ = try await watch(board) { $0.contains { $0.kind == "forecast" } }
    board.network.removeRoute()

    var oldest = 0.0
    for hours in [2, 9, 17, 24] {
      let before = oldest
      let weather = try await watch(board, hoursAhead: hours) { weather in
        weather.compactMap(\.age).last ?? 0 > before
      }
      oldest = try #require(weather.last { $0.kind != nil }?.age)
      try Self.expectStored(weather, hours: hours)
    }
    #expect(server.requests.events.count == 1)
    server.stop()
    await server.end.wait(for: 1)

    // After three days there is no report until the network is back. No restart is necessary.
    let back = try board.serve(WeatherCommandTests.reply(hoursAhead: 80))
    let words = Self.words
    try await board.network.use(words, environment: board.environment, hoursAhead: 80) { program in
      let none = Self.weather(await program.lines.wait { Self.weather($0).contains { $0.reason != nil } })
      #expect(none.allSatisfy { $0.kind == nil && $0.temperature == nil && $0.moon != nil })
      board.network.addRoute()
      await program.lines.wait { Self.weather($0).contains { $0.kind == "forecast" } }
      program.send(SIGTERM)
      #expect(await program.wait() == 0)
    }
    let again = try await watch(board, hoursAhead: 80) {
      $0.contains { $0.kind == "forecast" }
    }
    #expect(again.last?.temperature == 0.25)
    #expect(back.requests.events.count == 1)
  }

  /// Checks that each report is the one stored `hours` hours ago, half a degree warmer per hour.
  private static func expectStored(_ reports: [Weather], hours: Int) throws {
    let weather = reports.filter { $0.kind != nil }
    #expect(weather.allSatisfy { $0.kind == "interpolated" && $0.stale == true })
    let ages = weather.compactMap(\.age)
    #expect(ages == ages.sorted() && ages.count == weather.count, "\(ages)")
    #expect(ages.allSatisfy { (0..<300).contains($0 - Double(hours) * 3600) }, "\(ages)")
    for temperature in weather.map(\.temperature) {
      let degrees = try #require(temperature)
      #expect(degrees >= Double(hours) / 2 && degrees <= Double(hours + 1) / 2 + 0.1)
    }
  }

  @Test func `watch reports a store that is not writable, and still prints the weather`() async throws {
    let board = try WeatherFixture()
    try board.serve()
    let environment = ["FIXCAST_STATE_DIRECTORY": "/proc/none"]
    let lines = try await board.network.use(Self.words, environment: environment) { program in
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
