// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Foundation
import Testing

/// The program with its default gates and stages, on a board without a network.
@Suite(.needsNetworkNamespaces, .timeLimit(.minutes(5)))
struct OfflineDaemonTests {
  /// The output of `fixcast status --json`.
  private struct Report: Decodable { var daemon: Status }

  private struct Status: Decodable {
    struct Plugin: Decodable {
      var role: String
      var name: String
      var state: String
      var `in`: Int?
      var out: Int?
    }
    struct Lookups: Decodable {
      var asked: Int?
      var answered: Int?
    }
    struct Path: Decodable { var status: String }

    var plugins: [Plugin]
    var lookups: Lookups
    var held: Int?
    var path: Path?

    func plugin(_ name: String) -> Plugin? { plugins.first { $0.name == name } }
  }

  /// Returns the status once it satisfies a condition, which is checked again after each location.
  private static func status(
    _ board: borrowing DaemonFixture, _ stream: ChildProcess,
    until isEnough: (Status) -> Bool
  ) async throws -> Status {
    var count = 0
    while true {
      let lines = try await board.run("status", "--json").lines
      let status = try JSONDecoder().decode(Report.self, from: Data((lines.first ?? "").utf8))
        .daemon
      if isEnough(status) { return status }
      let seen = locations(stream.lines.events)
      count = max(count, seen) + 1
      let wanted = count
      await stream.lines.wait { locations($0) >= wanted }
      try Task.checkCancellation()
    }
  }

  private static func locations(_ lines: [String]) -> Int {
    lines.count { $0.contains(#""class":"TPV""#) && $0.contains(#""lat":"#) }
  }

  @Test
  func `without a network, the daemon makes no lookup and holds locations; afterwards it makes one`() async throws {
    let network = NetworkNamespaceFixture(connected: false)
    let server = try FakeHTTPServer(in: network.isp, body: WeatherCommandTests.reply())
    defer { server.stop() }
    let board = try DaemonFixture()
    try await ChildProcess.use(path: Program.path, arguments: ["simulate"]) { receiver in
      let device = try #require(await receiver.lines.wait(for: 1).first)
      // No gate and no stage: the daemon uses the default ones.
      try board.configure(
        weatherFrom: "http://203.0.113.10",
        "[gpsd_server]\nenabled = false\n"
          + DaemonFixture.source("type = \"serial\"\ndevice = \"\(device)\""))
      try await network.use(["run", "--config", board.configuration], environment: board.environment) { daemon in
        await DaemonFixture.wait(for: "serving on", daemon)
        try await ChildProcess.use(
          path: "/usr/bin/curl",
          arguments: [
            "--silent", "--no-buffer", "--unix-socket", board.path + "/s",
            "http://fixcast/v1/events",
          ]
        ) { stream in
          // The place stage has processed several locations, and the gate has held each of them.
          let offline = try await Self.status(board, stream) {
            ($0.plugin("place")?.out ?? 0) >= 4 && ($0.held ?? 0) >= 3
          }
          #expect(offline.plugins.prefix(3).map(\.name) == ["place", "reachability", "weather"])
          #expect(offline.plugins.prefix(3).allSatisfy { $0.state == "running" })
          #expect(offline.path?.status == "unsatisfied")
          #expect(offline.lookups.asked == 0 && offline.plugin("weather")?.in == 0)
          #expect(offline.plugin("reachability")?.out == 0)
          #expect(server.requests.events.isEmpty)

          network.connect()
          // The gate releases the newest location after a random delay of up to 30 seconds.
          let online = try await Self.status(board, stream) { $0.lookups.answered == 1 }
          #expect(online.lookups.asked == 1)
          #expect(online.path?.status == "satisfied")
          // Later locations cause no further lookup.
          let passed = online.plugin("weather")?.in ?? 0
          let later = try await Self.status(board, stream) {
            ($0.plugin("weather")?.in ?? 0) >= passed + 3
          }
          #expect(later.lookups.asked == 1)
          #expect(server.requests.events.count == 1)
        }
        #expect(await daemon.end() == 0)
      }
    }
  }
}
