// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Testing

/// `fixcast weather` and `watch` beside a daemon with a file of its own, in which the weather is off.
@Suite(
  .enabled(if: NetworkNamespace.isPermitted, "network namespaces are not permitted here"),
  .timeLimit(.minutes(5)), .serialized)
struct WeatherOffTests {
  @Test("the daemon's word holds for them too: nobody is asked but whom an option names")
  func off() async throws {
    let lab = NetworkNamespaceFixture()
    let board = try DaemonBoard()
    let server = try HTTPStandIn(in: lab.isp, body: WeatherCommandTests.answer())
    defer { server.stop() }
    // What is read without --config says nothing against it.
    try board.folder.write(
      "root/etc/fixcast/config.toml",
      "[weather.openmeteo]\nbase_url = \"http://203.0.113.10\"\n")
    try board.configure(DaemonBoard.source("type = \"simulated\""))
    try await lab.use(
      ["run", "--config", board.configuration], environment: board.environment
    ) { daemon in
      await DaemonBoard.wait(for: "serving on", daemon)
      // What is stored on this machine is no answer to what is asked here.
      var environment = board.environment
      environment["FIXCAST_STATE_DIRECTORY"] = board.folder.path + "/own"
      let reason = "the weather is off: the daemon's configuration sets enabled = false"
      for words in [["weather"], ["weather", "54.32,10.13"], ["watch", "--seconds", "5"]] {
        let told = try await lab.run(words, environment: environment)
        #expect(told.lines.contains { $0.contains(reason) }, "\(words): \(told.lines)")
        #expect(told.code == (words[0] == "watch" ? 0 : 78), "\(words): \(told.lines)")
      }
      #expect(server.requests.events.isEmpty)
      let named = try await lab.run(
        ["weather", "54.32,10.13", "--provider", "openmeteo"], environment: environment)
      #expect(named.code == 0, "\(named.lines)")
      #expect(server.requests.events.count == 1)
    }
  }
}
