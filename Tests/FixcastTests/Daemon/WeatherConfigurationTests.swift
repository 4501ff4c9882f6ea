// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Testing

/// The `weather` and `watch` commands with weather settings in the board's configuration.
@Suite(.needsNetworkNamespaces, .timeLimit(.minutes(5)), .serialized)
struct WeatherConfigurationTests {
  private static let server = "[weather.openmeteo]\nbase_url = \"http://203.0.113.10\"\n"

  /// Returns a board with a provider and a configuration.
  private static func board(_ configuration: (String) -> String) throws -> (WeatherFixture, FakeHTTPServer) {
    let board = try WeatherFixture()
    board.environment = ["FIXCAST_STATE_DIRECTORY": board.folder.path + "/state", "FIXCAST_ROOT": board.folder.path]
    try board.folder.write("etc/fixcast/config.toml", configuration(server))
    return (board, try board.serve())
  }

  @Test
  func `if the weather is off, commands name the file and contact only the provider of --provider`() async throws {
    let (board, server) = try Self.board { "[weather]\nenabled = false\ngrid_decimals = 1\n" + $0 }
    let words = ["weather", "54.321987,10.135"]
    let (lines, code) = try await board.run(words)
    #expect(code == 78, "\(lines)")
    #expect(lines.contains { $0.hasPrefix("  Sun ") })
    #expect(
      lines.last?.contains("the weather is off: \(board.folder.path)/etc/fixcast/config.toml:2") == true,
      "\(lines)")
    let watched = try await board.run(["watch", "--source", "simulated", "--seconds", "2"])
    #expect(watched.lines.contains { $0.contains("the weather is off: ") }, "\(watched.lines)")
    #expect(server.requests.events.isEmpty)

    let named = try await board.run(words + ["--provider", "openmeteo"])
    #expect(named.code == 0, "\(named.lines)")
    #expect(server.requests.events.count == 1)
    #expect(server.requests.events.first?.contains("latitude=54.3&longitude=10.1&") == true)
  }

  @Test func `commands use the configured providers, except one whose key this user may not read`() async throws {
    let (board, server) = try Self.board {
      "[weather]\nproviders = [\"pirateweather\", \"openmeteo\"]\ngrid_decimals = 1\n"
        + $0 + "[weather.pirateweather]\nkey_file = \"/none\"\n"
    }
    let (lines, code) = try await board.run(["weather", "54.321987,10.135"])
    #expect(code == 0, "\(lines)")
    #expect(
      lines.contains {
        $0.hasPrefix("fixcast: pirateweather is skipped: /none: cannot be read: ")
      }, "\(lines)")
    #expect(server.requests.events.first?.contains("latitude=54.3&longitude=10.1&") == true)
  }

  @Test func `with an invalid configuration, commands print check-config's errors and make no lookup`() async throws {
    let (board, server) = try Self.board { "[weather]\nenabeld = false\n" + $0 }
    let (lines, code) = try await board.run(["weather", "54.0,10.0"])
    #expect(code == 78)
    #expect(try await board.run(["check-config"]).lines == lines)
    #expect(lines.first?.contains("did you mean") == true, "\(lines)")
    #expect(server.requests.events.isEmpty)
  }
}
