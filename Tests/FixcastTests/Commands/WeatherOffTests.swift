// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Testing

/// The `weather` and `watch` commands with a daemon whose configuration turns the weather off.
@Suite(.needsNetworkNamespaces, .timeLimit(.minutes(5)), .serialized)
struct WeatherOffTests {
  @Test func `if the daemon's weather is off, commands contact no provider unless an option names one`() async throws {
    let network = NetworkNamespaceFixture()
    let board = try DaemonFixture()
    let server = try FakeHTTPServer(in: network.isp, body: WeatherCommandTests.reply())
    defer { server.stop() }
    // The default files, which commands read, do not turn the weather off.
    try board.folder.write("root/etc/fixcast/config.toml", "[weather.openmeteo]\nbase_url = \"http://203.0.113.10\"\n")
    try board.configure(DaemonFixture.source("type = \"simulated\""))
    try await network.use(["run", "--config", board.configuration], environment: board.environment) { daemon in
      await DaemonFixture.wait(for: "serving on", daemon)
      // A state directory without stored reports.
      var environment = board.environment
      environment["FIXCAST_STATE_DIRECTORY"] = board.folder.path + "/own"
      let reason = "the weather is off: the daemon's configuration sets enabled = false"
      for words in [["weather"], ["weather", "54.32,10.13"], ["watch", "--seconds", "5"]] {
        let result = try await network.run(words, environment: environment)
        #expect(result.lines.contains { $0.contains(reason) }, "\(words): \(result.lines)")
        #expect(result.code == (words[0] == "watch" ? 0 : 78), "\(words): \(result.lines)")
      }
      #expect(server.requests.events.isEmpty)
      let named = try await network.run(
        ["weather", "54.32,10.13", "--provider", "openmeteo"], environment: environment)
      #expect(named.code == 0, "\(named.lines)")
      #expect(server.requests.events.count == 1)
    }
  }
}
