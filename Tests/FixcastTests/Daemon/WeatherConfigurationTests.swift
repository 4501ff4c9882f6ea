// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Testing

/// The `weather` and `watch` commands with weather settings in the board's configuration.
@Suite(.needsNetworkNamespaces, .timeLimit(.minutes(5)), .serialized)
struct WeatherConfigurationTests {
  private static let server = "[weather.openmeteo]\nbase_url = \"http://203.0.113.10\"\n"

  private static func environment(_ folder: borrowing ScratchFolder) -> [String: String] {
    ["FIXCAST_STATE_DIRECTORY": folder.path + "/state", "FIXCAST_ROOT": folder.path]
  }

  @Test
  func `if the weather is off, commands name the file and contact only the provider of --provider`() async throws {
    let lab = NetworkNamespaceFixture()
    let folder = try ScratchFolder()
    let environment = Self.environment(folder)
    let words = ["weather", "54.321987,10.135"]
    let server = try HTTPStandIn(in: lab.isp, body: WeatherCommandTests.reply())
    defer { server.stop() }
    try folder.write(
      "etc/fixcast/config.toml", "[weather]\nenabled = false\ngrid_decimals = 1\n" + Self.server)
    let (lines, code) = try await lab.run(words, environment: environment)
    #expect(code == 78, "\(lines)")
    #expect(lines.contains { $0.hasPrefix("  Sun ") })
    #expect(
      lines.last?.contains("the weather is off: \(folder.path)/etc/fixcast/config.toml:2") == true,
      "\(lines)")
    let watched = try await lab.run(
      ["watch", "--source", "simulated", "--seconds", "2"], environment: environment)
    #expect(watched.lines.contains { $0.contains("the weather is off: ") }, "\(watched.lines)")
    #expect(server.requests.events.isEmpty)

    let named = try await lab.run(words + ["--provider", "openmeteo"], environment: environment)
    #expect(named.code == 0, "\(named.lines)")
    #expect(server.requests.events.count == 1)
    #expect(server.requests.events.first?.contains("latitude=54.3&longitude=10.1&") == true)
  }

  @Test func `commands use the configured providers, except one whose key this user may not read`() async throws {
    let lab = NetworkNamespaceFixture()
    let folder = try ScratchFolder()
    let server = try HTTPStandIn(in: lab.isp, body: WeatherCommandTests.reply())
    defer { server.stop() }
    try folder.write(
      "etc/fixcast/config.toml",
      "[weather]\nproviders = [\"pirateweather\", \"openmeteo\"]\ngrid_decimals = 1\n"
        + Self.server + "[weather.pirateweather]\nkey_file = \"/none\"\n")
    let (lines, code) = try await lab.run(
      ["weather", "54.321987,10.135"], environment: Self.environment(folder))
    #expect(code == 0, "\(lines)")
    #expect(
      lines.contains {
        $0.hasPrefix("fixcast: pirateweather is skipped: /none: cannot be read: ")
      }, "\(lines)")
    #expect(server.requests.events.first?.contains("latitude=54.3&longitude=10.1&") == true)
  }

  @Test func `with an invalid configuration, commands print check-config's errors and make no lookup`() async throws {
    let lab = NetworkNamespaceFixture()
    let folder = try ScratchFolder()
    let server = try HTTPStandIn(in: lab.isp, body: WeatherCommandTests.reply())
    defer { server.stop() }
    try folder.write("etc/fixcast/config.toml", "[weather]\nenabeld = false\n" + Self.server)
    let environment = Self.environment(folder)
    let (lines, code) = try await lab.run(["weather", "54.0,10.0"], environment: environment)
    #expect(code == 78)
    #expect(try await lab.run(["check-config"], environment: environment).lines == lines)
    #expect(lines.first?.contains("did you mean") == true, "\(lines)")
    #expect(server.requests.events.isEmpty)
  }
}
